/** The way to one node: found when it is first asked, and looked for anew when it may have become another. */
import { toBase64Url } from '../core/bytes.js';
import type { Log } from '../core/log.js';
import { nodeNameOf } from '../core/node-name.js';
import type { Work } from '../core/work.js';
import { CacheDetector } from './cache-detector.js';
import { type ConnectOptions, type Miner, NodeClient } from './client.js';
import { NodeError, rootMessage } from './errors.js';

export interface NodeLinkOptions {
  readonly url: string;
  readonly miner: Miner;
  /** TLS and headers. */
  readonly connect?: ConnectOptions | undefined;
  readonly log: Log;
  /** Milliseconds, rising. */
  readonly now: () => number;
  /** Of each question. */
  readonly timeoutMs: number;
}

/** Answers of 404 in a row between two looks at where the node is. */
const DOUBT_EVERY = 10;

export class NodeLink {
  readonly #options: NodeLinkOptions;
  readonly #caching = new CacheDetector();
  #client: NodeClient | undefined;
  /** The base URL that was looked up anew last. */
  #doubted: string | undefined;
  #requests = 0;
  #closed = false;

  constructor(options: NodeLinkOptions) {
    this.#options = options;
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

  asked(): void {
    this.#requests++;
  }

  /** @param chainId a wish only. Throws NodeError. */
  async fetchWork(chainId: number | undefined): Promise<Work> {
    this.asked();
    const { miner, timeoutMs, now } = this.#options;
    const client = this.#client ?? (await this.#connect());
    const work = await client.work({ miner, chainId, timeoutMs });
    this.#caching.saw(work, now());
    return work;
  }

  /** Whether the work's parent is the head of its chain; false where the node does not say. */
  async extendsCut({ chainId, fields }: Work): Promise<boolean> {
    this.asked();
    try {
      const cut = await this.#client?.maintenance.cut(undefined, { timeoutMs: this.#options.timeoutMs });
      return cut?.hashes[chainId]?.hash === toBase64Url(fields.parent);
    } catch (error) {
      if (error instanceof NodeError) return false;
      throw error;
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
      this.#options.log.warn(
        { node: nodeNameOf(this.#options.url), error: rootMessage(error) },
        'could not close connections',
      );
    });
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#client?.close();
  }

  async #connect(): Promise<NodeClient> {
    const { url, connect, timeoutMs } = this.#options;
    const client = await NodeClient.connect(url, timeoutMs, connect);
    if (this.#closed) await client.close();
    this.#client ??= client;
    return this.#client;
  }
}
