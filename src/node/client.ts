/**
 * A node's HTTP interface, whole and typed (`node-interface.md`). Also the package's entry `stratum-bridge/node-client`.
 *
 *     const node = await NodeClient.connect('http://127.0.0.1:1848');
 *     const { height } = await node.maintenance.cut();
 *     for await (const page of node.chain(0).headerPages({ minHeight: height - 10 })) use(page.items);
 *     await node.close();
 *
 * Every method throws {@link NodeError} when the node does not give what it should, and RangeError for what cannot be
 * asked. Each takes a {@link CallPolicy} last: time, tries, largest answer, signal. A longer example stands in
 * `config/examples/node-client.js`.
 */
import { writeUintLittleEndian } from '../core/bytes.js';
import { decodeWork, WORK_BYTES, type Work, WorkFormatError } from '../core/work.js';
import { locateNode, type NodeAddress } from './address.js';
import { checkChain } from './bounds.js';
import {
  type Call,
  Caller,
  type CallPolicy,
  type CallSettings,
  DEFAULT_SETTINGS,
  DEFAULT_TIMEOUT_MS,
  mayPass,
  statusError,
} from './call.js';
import { ChainClient } from './chain-client.js';
import type { NodeError } from './errors.js';
import { eventsOf, type StreamOptions } from './event-stream.js';
import { type HttpAnswer, NodeHttp, type StreamAnswer, type TlsOptions } from './http.js';
import { factsIn, MaintenanceClient } from './maintenance-client.js';
import { type BlockEvent, blockEventModel, type HeaderEvent, headerEventModel } from './models.js';
import { SolutionLane } from './solution-lane.js';
import { Verifier, type VerifyOptions } from './verify.js';
import { checkFits, WorkMisfitError } from './work-check.js';

export type { Work } from '../core/work.js';
export type { NodeAddress } from './address.js';
export type { CallPolicy } from './call.js';
export type { BranchBounds, ChainClient, PayloadKey } from './chain-client.js';
export type { EncodedHeader } from './encoded-header.js';
export { NodeError, type NodeErrorCode, type NodeErrorDetails } from './errors.js';
export type { StreamOptions } from './event-stream.js';
export type { TlsOptions } from './http.js';
export type { BackupState, MaintenanceClient, NodeFacts } from './maintenance-client.js';
export type { HighwaterMark, MempoolClient } from './mempool-client.js';
export type {
  Block,
  BlockEvent,
  CutObject,
  HeaderEvent,
  HeaderObject,
  MempoolLookup,
  NodeConfig,
  NodeInfo,
  Page,
  Payload,
  PayloadWithOutputs,
  PeerInfo,
  PendingKeys,
} from './models.js';
export type { Window } from './paging.js';
export type { VerifyOptions } from './verify.js';

/** Who is paid for blocks: the body of `GET /mining/work`. */
export interface Miner {
  /** Usually `k:` and the public key. */
  readonly account: string;
  readonly predicate: 'keys-all' | 'keys-any' | 'keys-2';
  readonly publicKeys: readonly string[];
}

export interface WorkRequest {
  readonly miner: Miner;
  /** A wish only: the node may hand out work of another chain. */
  readonly chainId?: number | undefined;
  /** A node keeps the request open while it has no work. */
  readonly timeoutMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

export interface ConnectOptions {
  /** For `https://`: an authority of one's own, or no check at all. */
  readonly tls?: TlsOptions;
  /** Sent with every request; a user and password in the URL become `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What calls use that do not say otherwise. */
  readonly policy?: CallPolicy;
  /**
   * By default every header, payload and branch of headers is hashed and compared with what was asked for; what does not
   * agree is an error with `code: 'forged'`. Hashes alone (listings, branches of hashes, the cut) prove nothing.
   */
  readonly verify?: boolean | VerifyOptions;
  /** Told of each answer that was refused so. */
  readonly onForged?: (error: NodeError) => void;
  /** In [0, 1): spreads pauses. */
  readonly random?: CallSettings['random'];
  /** How to wait between tries. */
  readonly pause?: CallSettings['pause'];
}

export class NodeClient {
  readonly address: NodeAddress;
  /** Backups, health, information, configuration, cut. */
  readonly maintenance: MaintenanceClient;
  readonly #http: NodeHttp;
  readonly #caller: Caller;
  readonly #lane: SolutionLane;
  readonly #verifier: Verifier | false;

  private constructor(
    address: NodeAddress,
    http: NodeHttp,
    settings: CallSettings,
    verify: boolean | VerifyOptions,
  ) {
    this.address = address;
    this.#http = http;
    this.#caller = new Caller(address.baseUrl, http, settings);
    this.maintenance = new MaintenanceClient(this.#caller);
    const keepOpenUrl = address.infoUrl ?? `${this.#caller.root}/health-check`;
    this.#lane = new SolutionLane({ http, keepOpenUrl, random: settings.random });
    const options = verify === true ? {} : verify;
    this.#verifier = options && new Verifier(address.network, options, () => this.#versionCode());
  }

  /**
   * Finds the node behind what an operator typed: a whole base URL, or scheme, host and port. To be closed.
   *
   * @param timeoutMs of each question that it takes to find the node.
   */
  static async connect(
    url: string,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    options: ConnectOptions = {},
  ): Promise<NodeClient> {
    const { tls, policy, random, pause, onForged, verify = true } = { ...DEFAULT_SETTINGS, ...options };
    const headers = { ...credentialsIn(url), ...options.headers };
    const http = new NodeHttp({ headers, ...(tls ? { tls } : {}) });
    try {
      const settings = { policy, random, pause, onForged };
      return new NodeClient(await locateNode(http, url, timeoutMs), http, settings, verify);
    } catch (error) {
      await http.close();
      throw error;
    }
  }

  /** Connections that are open for solutions alone; two once work was given. */
  get solutionConnections(): number {
    return this.#lane.open;
  }

  /** Hashes, headers, blocks, payloads and mempool of a chain. Throws RangeError unless 0 to 19. */
  chain(chainId: number): ChainClient {
    return new ChainClient(this.#caller, checkChain(chainId), this.#verifier);
  }

  /** `GET /health-check`, at the base as specified or at the root as real nodes serve it. */
  async isHealthy(timeoutMs = DEFAULT_TIMEOUT_MS): Promise<boolean> {
    for (const prefix of [this.address.baseUrl, this.#caller.root]) {
      const { status } = await this.#http.ask({ method: 'GET', url: `${prefix}/health-check`, timeoutMs });
      if (status === 200) return true;
    }
    return false;
  }

  /** The node's clock in milliseconds since the epoch, to the second as it tells it; `undefined` if it does not. */
  async clockMs(timeoutMs = DEFAULT_TIMEOUT_MS): Promise<number | undefined> {
    const url = `${this.address.baseUrl}/info`;
    return factsIn(await this.#http.ask({ method: 'GET', url, timeoutMs })).clockMs;
  }

  /** `GET /mining/work`: a GET with a JSON body, 322 bytes in return. */
  async work(request: WorkRequest): Promise<Work> {
    const { miner, chainId, timeoutMs, signal } = request;
    const call: Call = {
      method: 'GET',
      endpoint: '/mining/work',
      query: { chain: chainId },
      accept: 'application/octet-stream',
      isFresh: true,
      json: { account: miner.account, predicate: miner.predicate, 'public-keys': miner.publicKeys },
      maxBytes: 64 * WORK_BYTES,
    };
    const answer = await this.#caller.answer(call, { timeoutMs, ...(signal ? { signal } : {}) });
    const work = this.#decode(call, answer);
    this.#lane.start();
    return work;
  }

  /**
   * `POST /mining/solved` with 286 header bytes, on a connection that was open before if there is any. Resolves on any
   * 2xx: the specification says 204, real nodes say 200. Sent again over a new connection while no answer comes: `details.posts`
   * of an error says how often, and beyond once a 404 is "perhaps taken".
   */
  async solved(header: Uint8Array, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<void> {
    const asked = {
      method: 'POST',
      url: `${this.address.baseUrl}/mining/solved`,
      endpoint: 'POST /mining/solved',
      headers: { 'content-type': 'application/octet-stream' },
      body: header,
      timeoutMs,
    } as const;
    const { answer, posts } = await this.#lane.post(asked);
    if (answer.status < 200 || answer.status > 299) throw statusError(asked, answer, { posts });
  }

  /** `GET /mining/updates` of one chain: an event stream, still to be made conformant. */
  openUpdates(chainId: number, signal: AbortSignal): Promise<StreamAnswer> {
    return this.#http.open(
      {
        method: 'GET',
        url: `${this.address.baseUrl}/mining/updates`,
        endpoint: 'GET /mining/updates',
        headers: { 'content-type': 'application/octet-stream', accept: 'text/event-stream' },
        body: writeUintLittleEndian(BigInt(chainId), 4),
      },
      signal,
    );
  }

  /**
   * `GET /mining/updates`: names of events, `New Cut` or `Refreshed Block`, after each of which there may be new work.
   *
   * @param chainId `undefined`: updates of all chains, where a node offers them.
   */
  miningUpdates(chainId: number | undefined, options: StreamOptions = {}): AsyncIterable<string> {
    const call = streamCall('/mining/updates');
    const bytes = chainId === undefined ? undefined : writeUintLittleEndian(BigInt(chainId), 4);
    return eventsOf(this.#caller, bytes ? { ...call, bytes } : call, ({ event }) => event, options);
  }

  /** `GET /header/updates`: headers of new blocks, some of which may later be orphaned. */
  headerUpdates(options: StreamOptions = {}): AsyncIterable<HeaderEvent> {
    const call = streamCall('/header/updates');
    return eventsOf(
      this.#caller,
      call,
      async ({ event, data }) => {
        if (!isBlock(event)) return undefined;
        const read = this.#caller.read(call, headerEventModel, data);
        await this.#check(call, (verifier) => verifier.header(read.header, read.header.chainId));
        return read;
      },
      options,
    );
  }

  /** `GET /block/updates`: new blocks with payloads and outputs. */
  blockUpdates(options: StreamOptions = {}): AsyncIterable<BlockEvent> {
    const call = streamCall('/block/updates');
    return eventsOf(
      this.#caller,
      call,
      async ({ event, data }) => {
        if (!isBlock(event)) return undefined;
        const read = this.#caller.read(call, blockEventModel, data);
        await this.#check(call, (verifier) => verifier.block(read, read.header.chainId));
        return read;
      },
      options,
    );
  }

  /** Later requests go over new connections; those under way keep theirs. */
  renewConnections(): void {
    this.#http.renewPool();
  }

  /** Ends every connection at once; requests under way fail. */
  async close(): Promise<void> {
    this.#lane.close();
    await this.#http.close();
  }

  async #check(call: Call, check: (verifier: Verifier) => Promise<void>): Promise<void> {
    const verifier = this.#verifier;
    if (verifier) await this.#caller.checked(call, () => check(verifier));
  }

  /** As the first header of a chain has it; `undefined` where the node has none. */
  async #versionCode(): Promise<number | undefined> {
    const [chainId = 0] = this.address.info?.nodeChains?.map(Number) ?? [];
    try {
      const { items } = await this.chain(chainId).encodedHeaders({ limit: 1 });
      return items[0]?.fields.versionCode;
    } catch (error) {
      if (mayPass(error)) throw error;
      return undefined; // it does not tell
    }
  }

  #decode(call: Call, answer: HttpAnswer): Work {
    try {
      const work = decodeWork(answer.body);
      checkFits(work, this.address);
      return work;
    } catch (error) {
      if (!(error instanceof WorkFormatError || error instanceof WorkMisfitError)) throw error;
      throw this.#caller.formatError(call, error.message, error);
    }
  }
}

function streamCall(endpoint: string): Call {
  return { method: 'GET', endpoint, accept: 'text/event-stream' };
}

/** The specification has a name for each stream; real nodes have one for both. */
function isBlock(event: string | undefined): boolean {
  return event === 'BlockHeader' || event === 'Block';
}

function credentialsIn(url: string): Record<string, string> {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return {};
  const text = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

/** As the URL standard decodes: a `%` that begins no code is itself. */
function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}
