/**
 * A node's HTTP interface, whole and typed (`node-interface.md`). Also the package's entry `stratum-bridge/node-client`.
 *
 *     const node = await connect({ nodes: 'http://127.0.0.1:1848' });
 *     const { height } = await node.maintenance.cut();
 *     for await (const header of node.chain(0).headers.each({ minHeight: height - 10 })) use(header);
 *     await node.close();
 *
 * Every method throws {@link NodeError} when the node does not give what it should, and RangeError for what cannot be
 * asked. Calls take a {@link CallPolicy} last: time, tries, largest answer, signal; work, `follow` and streams say what they take
 * of it among their own options. A longer example stands in `config/examples/node-client.js`.
 */

import type { z } from 'zod';
import type { Endpoint } from '../chain/endpoint.js';
import { ENDPOINTS } from '../chain/endpoints.js';
import { NodeError } from '../chain/errors.js';
import { type BlockEvent, encodeMiner, type HeaderEvent, type Miner } from '../chain/models.js';
import { checkParameter } from '../chain/parameters.js';
import { Verifier } from '../chain/verify.js';
import { bytesEqual, writeUintLittleEndian } from '../core/bytes/bytes.js';
import { CREATION_TIME_OFFSET, NONCE_OFFSET } from '../core/work/header.js';
import { decodeWork, type Work, WorkFormatError } from '../core/work/work.js';
import { type NodeAddress, wholeAddress } from './asking/address.js';
import { adviceFor } from './asking/advice.js';
import { bodyOf, type Call, Caller, requestOf } from './asking/call.js';
import { ClientNode, ClientNodes } from './asking/client-nodes.js';
import { mayPass, statusError } from './asking/failures.js';
import { type CallPolicy, DEFAULT_SETTINGS, DEFAULT_TIMEOUT_MS } from './asking/policy.js';
import { checkFits, WorkMisfitError } from './asking/work-check.js';
import type { ClientOptions, ConnectOptions, WorkRequest } from './client-options.js';
import { type Followed, type FollowOptions, followChains } from './follow.js';
import { isReceipt, isRefusal } from './lines/repeated-post.js';
import { ChainClient } from './parts/chain-client.js';
import { MaintenanceClient } from './parts/maintenance-client.js';
import { eventsOf, type StreamOptions } from './streams/event-stream.js';
import {
  type StreamEvent,
  type StreamLimits,
  type StreamListener,
  StreamReader,
} from './streams/stream-reader.js';

export {
  type CommandResult,
  decimalIn,
  type LocalResult,
  type SignedCommand,
} from '../chain/command-models.js';
export {
  type Contents,
  contentsOf,
  type HeaderNumbers,
  type Included,
  numbersOf,
} from '../chain/decoded.js';
export type { EncodedHeader } from '../chain/encoded-header.js';
export { NodeError, type NodeErrorCode, type NodeErrorDetails, type Refusal } from '../chain/errors.js';
export type {
  Block,
  BlockEvent,
  CutObject,
  HeaderEvent,
  HeaderObject,
  MempoolLookup,
  Miner,
  NodeConfig,
  NodeInfo,
  Page,
  Payload,
  PayloadWithOutputs,
  PeerInfo,
  PendingKeys,
} from '../chain/models.js';
export type { Window } from '../chain/paging.js';
export type { VerifyOptions } from '../chain/verify.js';
export type { Work } from '../core/work/work.js';
export type { NodeAddress } from './asking/address.js';
export type { NodeFacts } from './asking/facts.js';
export type { TlsOptions } from './asking/http.js';
export type { CallPolicy, SeenAnswer, SeenRequest } from './asking/policy.js';
export type { ClientOptions, ConnectOptions, WorkRequest } from './client-options.js';
export type { Followed, FollowOptions } from './follow.js';
export type { ChainClient, PayloadKey } from './parts/chain-client.js';
export type { BranchBounds, Listing } from './parts/listing.js';
export type { BackupState, MaintenanceClient } from './parts/maintenance-client.js';
export type { MempoolClient } from './parts/mempool-client.js';
export type { LocalOptions, PactClient, PollOptions } from './parts/pact-client.js';
export type { PeerWindow } from './parts/peer-lists.js';
export {
  accountOfSecretKey,
  type TransferClient,
  type TransferOrder,
  type UnsignedTransfer,
} from './parts/transfer-client.js';
export type { StreamOptions } from './streams/event-stream.js';
export type { StreamEvent, StreamLimits, StreamListener, StreamReader } from './streams/stream-reader.js';

/** Works of several nodes that are remembered, since a solution goes to the node that gave its work: those of 20 chains in the minutes that one lives. */
const MOST_WORKS = 1_024;

export class NodeClient implements AsyncDisposable {
  /** Backups, health, information, configuration, cut, peers. */
  readonly maintenance: MaintenanceClient;
  readonly #nodes: ClientNodes;
  readonly #caller: Caller;
  readonly #verifier: Verifier | false;
  /** What goes on by itself would else wait for a node that is asked no more. */
  readonly #closed = new AbortController();
  /** By which works name the network, once there was one. */
  #workCode: number | undefined;
  /** What was asked for this miner last, with what is asked of each chain: rigs wait for the answers. */
  #asking:
    | { readonly miner: Miner; readonly timeoutMs: number; readonly calls: Map<unknown, Call> }
    | undefined;
  /** Of works, what a miner does not change. Newest last. */
  readonly #works: { readonly bytes: Uint8Array; readonly node: ClientNode }[] = [];

  private constructor(nodes: ClientNodes, given: ClientOptions) {
    const { policy, random, pause, onForged, verify = true } = { ...DEFAULT_SETTINGS, ...given };
    this.#nodes = nodes;
    this.#caller = new Caller(nodes, { policy, random, pause, onForged });
    this.maintenance = new MaintenanceClient(this.#caller);
    const options = verify === true ? {} : verify;
    this.#workCode = options ? options.versionCode : undefined;
    const { network: told, info } = this.address;
    const { network = told } = given;
    const named = given.network ?? info?.nodeVersion;
    this.#verifier = options && new Verifier(network, options, () => this.#versionCode(), named);
  }

  /**
   * Finds the node. To be closed.
   *
   * Several nodes of one network are asked as one, in order of preference: the next where one fails, and the better one again
   * once it is well. One of them has to answer now.
   */
  static async connect(options: ConnectOptions): Promise<NodeClient> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    const all = [options.nodes].flat().map((one) => new ClientNode(one, options));
    const nodes = clientNodesOf(all, timeoutMs, options);
    const stop = (): void => void nodes.close();
    options.signal?.addEventListener('abort', stop, { once: true });
    if (options.signal?.aborted) stop();
    try {
      await nodes.connect();
      return new NodeClient(nodes, options);
    } catch (error) {
      await nodes.close();
      if (!options.signal?.aborted) throw error;
      const where = { url: new URL(all[0]?.url ?? '').origin, advice: adviceFor('aborted', '') };
      throw new NodeError('aborted', `the search for ${where.url} was ended by its caller`, where, error);
    } finally {
      options.signal?.removeEventListener('abort', stop);
    }
  }

  /** The node at this base address, for a program that knows it: nothing is asked to find it. To be closed. */
  static at(baseUrl: string, options: ClientOptions = {}): NodeClient {
    const node = new ClientNode(baseUrl, options, wholeAddress(baseUrl));
    return new NodeClient(clientNodesOf([node], DEFAULT_TIMEOUT_MS, options), options);
  }

  /** Of the node that is asked now. */
  get address(): NodeAddress {
    return this.#nodes.found.address;
  }

  /** Hashes, headers, blocks, payloads and mempool of a chain. Throws RangeError unless 0 to 19. */
  chain(chainId: number): ChainClient {
    checkParameter('chain', 'a chain id', String(chainId));
    return new ChainClient(this.#caller, chainId, this.#verifier);
  }

  /** `GET /mining/work`: a GET with a JSON body, 322 bytes in return. */
  async work(request: WorkRequest): Promise<Work> {
    const call = this.#questionOf(request);
    const { timeoutMs, signal, onWork } = request;
    const policy = signal ? { timeoutMs, signal } : { timeoutMs };
    let work!: Work;
    await this.#caller.answerFrom(call, policy, ({ body }, node) => {
      work = this.#decode(call, body, node.address);
      onWork?.(work);
      this.#remember(work, node);
    });
    return work;
  }

  /** Opens connections over which work is asked for at once, and keeps them open. */
  openForWork(): void {
    this.#nodes.found.workLines.start();
  }

  /**
   * `POST /mining/solved` with 286 header bytes, on a connection that was open before if there is any, to the node that
   * gave the work. Resolves on 204, as specified, and 200, as real nodes say it. Sent again over a new connection while no
   * answer comes: `details.posts` of an error says how often, and beyond once a 404 is "perhaps taken". `details.isFinal`
   * says whether the node itself refuses it; else something before it answered, and another try may reach it.
   */
  async solved(header: Uint8Array, policy: number | CallPolicy = {}): Promise<void> {
    const given = typeof policy === 'number' ? { timeoutMs: policy } : policy;
    const chosen = { ...this.#caller.settings.policy, ...given };
    const node = this.#nodeOf(header);
    const asked = requestOf({ to: ENDPOINTS.solved, bytes: header }, node.base, chosen);
    const answer = await this.#caller.told(asked, chosen, async () => {
      const { answer: first, posts } = await node.lane.post(asked, chosen.signal);
      return { ...first, posts };
    });
    if (isReceipt(answer)) return;
    throw statusError(asked, answer, { posts: answer.posts, isFinal: isRefusal(answer) });
  }

  /** `GET /mining/updates` of one chain over one connection: told of at once, until the node or the caller ends it. */
  readUpdates(chainId: number, listener: StreamListener, limits: StreamLimits = {}): StreamReader {
    return new StreamReader(this.#caller, updatesOf(chainId), listener, limits);
  }

  /**
   * `GET /mining/updates`: names of events, `New Cut` or `Refreshed Block`, after each of which there may be new work.
   *
   * @param chainId `undefined`: updates of all chains, where a node offers them.
   */
  miningUpdates(chainId: number | undefined, options: StreamOptions = {}): AsyncIterable<string> {
    return eventsOf(this.#caller, updatesOf(chainId), ({ type }) => type, options);
  }

  /** `GET /header/updates`: headers of new blocks, some of which may later be orphaned. */
  headerUpdates(options: StreamOptions = {}): AsyncIterable<HeaderEvent> {
    return this.#news(ENDPOINTS.headerUpdates, options);
  }

  /** `GET /block/updates`: new blocks with payloads and outputs. */
  blockUpdates(options: StreamOptions = {}): AsyncIterable<BlockEvent> {
    return this.#news(ENDPOINTS.blockUpdates, options);
  }

  /**
   * Blocks of chosen chains at a depth, with their payloads, each once and in order, whatever becomes of nodes meanwhile; and why a
   * chain stands still. Goes on until the caller leaves the loop, the signal ends it, or the client is closed.
   *
   * Throws RangeError for a chain that the network does not have, and NodeError for a block in `after` that the node does not know.
   */
  follow(options: FollowOptions): AsyncIterable<Followed> {
    const signal = AbortSignal.any([options.signal ?? [], this.#closed.signal].flat());
    const isWorked = this.#verifier !== false && this.#verifier.needsWork;
    return followChains(this, { ...options, isWorked, signal, policy: { ...options.policy, signal } });
  }

  /** Later requests go over new connections; those under way keep theirs. */
  renewConnections(): void {
    for (const node of this.#nodes.all) node.renew();
  }

  /** Ends every connection at once; requests under way fail. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#nodes.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Checked and written once for a miner and a chain. */
  #questionOf({ miner, chainId, timeoutMs }: WorkRequest): Call {
    if (this.#asking?.miner !== miner || this.#asking.timeoutMs !== timeoutMs)
      this.#asking = { miner, timeoutMs, calls: new Map() };
    const { calls } = this.#asking;
    const known = calls.get(chainId);
    if (known) return known;
    const bytes = bodyOf(ENDPOINTS.work, encodeMiner(miner));
    const call = {
      to: ENDPOINTS.work,
      query: { chain: chainId },
      isFresh: true,
      isWarm: true,
      isKept: true,
      bytes,
    };
    calls.set(chainId, call);
    return call;
  }

  #remember({ header }: Work, node: ClientNode): void {
    node.lane.start();
    if (this.#nodes.all.length === 1) return;
    this.#works.push({ bytes: fixedBytesOf(header), node });
    if (this.#works.length > MOST_WORKS) this.#works.shift();
  }

  /** Whoever gave the work that this solves; where that is not known, the node that is asked now. */
  #nodeOf(header: Uint8Array): ClientNode {
    const solved = fixedBytesOf(header);
    return this.#works.find(({ bytes }) => bytesEqual(bytes, solved))?.node ?? this.#nodes.found;
  }

  #news<T extends HeaderEvent>(to: Endpoint<z.ZodType<T>>, options: StreamOptions): AsyncIterable<T> {
    const call = { to };
    const verifier = this.#verifier;
    const read = async ({ type, data }: StreamEvent): Promise<T | undefined> => {
      if (type === 'message') return undefined;
      const event = this.#caller.read(call, to.model, data);
      if (verifier) await this.#caller.checked(call, () => verifier.event(event));
      return event;
    };
    // What a model gives is no promise.
    return eventsOf(this.#caller, call, read, options) as AsyncIterable<T>;
  }

  /** As works have it, or the first header of a chain; `undefined` where the node has none. */
  async #versionCode(): Promise<number | undefined> {
    if (this.#workCode !== undefined) return this.#workCode;
    const [chainId = 0] = this.address.info?.nodeChains?.map(Number) ?? [];
    try {
      const { items } = await this.chain(chainId).encodedHeaders.page({ limit: 1 });
      return items[0]?.fields.versionCode;
    } catch (error) {
      if (mayPass(error)) throw error;
      return undefined; // it does not tell
    }
  }

  #decode(call: Call, body: Uint8Array, address: NodeAddress): Work {
    try {
      const work = decodeWork(body);
      checkFits(work, address, this.#workCode);
      this.#workCode = work.fields.versionCode;
      return work;
    } catch (error) {
      if (!(error instanceof WorkFormatError || error instanceof WorkMisfitError)) throw error;
      throw this.#caller.formatError(call, error.message, error);
    }
  }
}

/** Begin here. */
export const { connect } = NodeClient;

/** All but the time and the nonce. */
function fixedBytesOf(header: Uint8Array): Uint8Array {
  return header.slice(CREATION_TIME_OFFSET + 8, NONCE_OFFSET);
}

function updatesOf(chainId: number | undefined): Call {
  const to = ENDPOINTS.miningUpdates;
  return chainId === undefined ? { to } : { to, bytes: writeUintLittleEndian(BigInt(chainId), 4) };
}

function clientNodesOf(
  all: readonly ClientNode[],
  timeoutMs: number,
  { random = DEFAULT_SETTINGS.random, network }: ClientOptions,
): ClientNodes {
  return new ClientNodes(all, { timeoutMs, random, network, nowMs: () => performance.now() });
}
