/** The way to one node: found when it is first asked, and looked for anew when it may have become another. */

import { NodeError, rootMessage } from '../chain/errors.js';
import { toBase64Url } from '../core/bytes/bytes.js';
import { faultOf, type Log } from '../core/names/log.js';
import { nodeNameOf } from '../core/names/node-name.js';
import type { Work } from '../core/work/work.js';
import { adviceFor } from '../node-client/asking/advice.js';
import { mayPass } from '../node-client/asking/failures.js';
import { type ClientOptions, type Miner, NodeClient } from '../node-client/client.js';
import { LateAnswers } from './works/late-answers.js';
import { CacheDetector } from './works/odd-answers.js';

interface NodeLinkOptions {
  readonly url: string;
  readonly miner: Miner;
  /** TLS and headers. */
  readonly connect?: ClientOptions | undefined;
  readonly log: Log;
  /** Milliseconds, rising. */
  readonly now: () => number;
  /** Of each question, while the node is not known to be slow. */
  readonly timeoutMs: number;
  /** A work that came after the time was over. */
  readonly onLate: (work: Work, askedAtMs: number) => void;
}

/** A question without an answer is given up for good. */
const LATEST_MS = 10_000;
/** To find a node nobody waits who has another. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Answers of 404 in a row between two looks at where the node is. */
const DOUBT_EVERY = 10;

export class NodeLink {
  /** The node's name: its URL without credentials. */
  readonly name: string;
  readonly #options: NodeLinkOptions;
  readonly #caching = new CacheDetector();
  readonly #answers: LateAnswers;
  #client: NodeClient | undefined;
  /** The base URL that was looked up anew last. */
  #doubted: string | undefined;
  #requests = 0;
  #closed = false;

  constructor(options: NodeLinkOptions) {
    this.#options = options;
    this.name = nodeNameOf(options.url);
    const { timeoutMs, now, onLate, log } = options;
    this.#answers = new LateAnswers({
      leastMs: timeoutMs,
      now,
      onLate: (work, askedAtMs) => {
        try {
          onLate(work, askedAtMs);
        } catch (error) {
          const fields = { node: this.name, ...faultOf(error) };
          log.error(fields, 'an unexpected error with a late answer of a node; it is asked again');
        }
      },
    });
  }

  /** Absent while the node has never answered, and while it is in doubt. */
  get client(): NodeClient | undefined {
    return this.#client;
  }

  /** Empty while it is unknown. */
  get network(): string {
    return this.#client?.address.network ?? '';
  }

  /** The chains of the network, where the node tells. */
  get chains(): number[] | undefined {
    return this.#client?.address.info?.nodeChains?.map(Number);
  }

  /** Something in between repeats the node's answers. */
  get isCached(): boolean {
    return this.#caching.sees;
  }

  /** Requests for work and streams so far. */
  get requests(): number {
    return this.#requests;
  }

  /** How much longer than other nodes this one is waited for: 1 while it is not known to be slow. */
  get slowness(): number {
    return this.#answers.limitMs / this.#options.timeoutMs;
  }

  asked(): void {
    this.#requests++;
  }

  /**
   * Where no answer comes in time the question stays open, for `onLate`, and the next one goes over a new connection.
   *
   * @param chainId a wish only. Throws NodeError.
   * @param onWork told of a work that comes in time, some turns before the promise is kept: rigs wait for it.
   */
  async fetchWork(chainId: number | undefined, onWork?: (work: Work) => void): Promise<Work> {
    this.asked();
    const { miner, now } = this.#options;
    const client = this.#client ?? (await this.#connect());
    const ask = (signal: AbortSignal, heard: (work: Work) => void): Promise<Work> =>
      client.work({ miner, chainId, timeoutMs: LATEST_MS, signal, onWork: heard });
    const work = await this.#answers.inTime(ask, onWork);
    if (!work) {
      client.renewConnections();
      const url = `${client.address.baseUrl}/mining/work`;
      const message = `${url} did not answer within ${Math.round(this.#answers.limitMs)} ms`;
      const advice = adviceFor('timeout', '');
      throw new NodeError('timeout', message, { url, endpoint: 'GET /mining/work', advice });
    }
    this.#caching.saw(work, now());
    return work;
  }

  /**
   * Whether the work's parent is the head of its chain; false where the node serves no cut, `undefined` where there was no
   * answer to the question.
   */
  async extendsCut({ chainId, fields }: Work): Promise<boolean | undefined> {
    this.asked();
    try {
      const cut = await this.#client?.maintenance.cut(undefined, { timeoutMs: this.#answers.limitMs });
      return cut?.hashes[chainId]?.hash === toBase64Url(fields.parent);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      return mayPass(error) ? undefined : false;
    }
  }

  /**
   * A node that no longer knows its paths (404, so many times in a row) may have come back as another network, so it is
   * looked up anew: true when that is to be done. Where it is the same, mining is off: the client stays, for those who ask
   * other things, and is doubted again from time to time.
   */
  doubt(times: number): boolean {
    const client = this.#client;
    const baseUrl = client?.address.baseUrl;
    if (baseUrl === this.#doubted && times % DOUBT_EVERY !== 0) return false;
    this.#doubted = baseUrl;
    this.#client = undefined;
    client?.close().catch((error: unknown) => {
      this.#options.log.warn({ node: this.name, error: rootMessage(error) }, 'could not close connections');
    });
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#client?.close();
  }

  async #connect(): Promise<NodeClient> {
    const { url, connect, timeoutMs } = this.#options;
    const client = await NodeClient.connect({
      nodes: url,
      timeoutMs: Math.max(timeoutMs, CONNECT_TIMEOUT_MS),
      ...connect,
    });
    if (this.#closed) await client.close();
    else client.openForWork();
    this.#client ??= client;
    return this.#client;
  }
}
