/**
 * The works of one node: fetched, fetched again when its update stream says so, on a timer, and on request.
 *
 * One loop does all fetching, so that a burst of events leads to one fetch and never to two at a time.
 */
import type { NodeState } from '../bridge/events.js';
import type { WorkSink } from '../bridge/ports.js';
import type { Log } from '../core/log.js';
import type { Work } from '../core/work.js';
import { backoffMs } from './backoff.js';
import { type Miner, NodeClient } from './client.js';
import { NodeError, rootMessage } from './errors.js';
import { UpdateStream } from './updates.js';

/** Chosen after what real nodes do; each is an option so that tests need not wait. */
export interface WorkTimings {
  /** A node without ready work keeps the request open; asking again costs it nothing. */
  readonly workTimeoutMs: number;
  /** Fetched again this often without any event. Nodes forget a payload 300 s after they last handed it out. */
  readonly refreshMs: number;
  /** The reference miner gives up on a stream after five block times of 30 s. */
  readonly silenceMs: number;
}

export const WORK_TIMINGS: WorkTimings = { workTimeoutMs: 2_000, refreshMs: 30_000, silenceMs: 150_000 };

export interface NodeStatus {
  readonly state: NodeState;
  readonly network: string;
  readonly reason: string;
}

export interface WorkSourceOptions {
  readonly url: string;
  readonly miner: Miner;
  readonly sink: WorkSink;
  readonly onStatus: (status: NodeStatus) => void;
  readonly log: Log;
  readonly random: () => number;
  readonly timings?: WorkTimings;
}

export class NodeWorkSource {
  readonly #options: WorkSourceOptions;
  readonly #timings: WorkTimings;
  readonly #closing = new AbortController();
  #client: NodeClient | undefined;
  #stream: UpdateStream | undefined;
  #current: Work | undefined;
  #status: NodeStatus = { state: 'starting', network: '', reason: 'not asked yet' };
  /** A refresh was asked for that no fetch has begun to serve. */
  #wanted = false;
  #wantedChain: number | undefined;
  #wake: (() => void) | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: WorkSourceOptions) {
    this.#options = options;
    this.#timings = options.timings ?? WORK_TIMINGS;
  }

  get url(): string {
    return this.#options.url;
  }

  get status(): NodeStatus {
    return this.#status;
  }

  /** What the node handed out last. */
  get current(): Work | undefined {
    return this.#current;
  }

  /** Absent while the node has never answered. */
  get client(): NodeClient | undefined {
    return this.#client;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  refresh(): void {
    this.#wanted = true;
    this.#wake?.();
  }

  /** As {@link refresh}, wishing for this chain from now on. */
  wantChain(chainId: number): void {
    this.#wantedChain = chainId;
    this.refresh();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake?.();
    this.#stream?.close();
    await this.#client?.close();
    await this.#loop;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#closing.signal.aborted) {
      this.#wanted = false;
      try {
        this.#accept(await this.#fetch());
        failures = 0;
        await this.#pause(this.#timings.refreshMs);
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#failed(error, ++failures);
        // A refresh does not shorten this pause: a node in trouble is not asked more often.
        await this.#pauseInTrouble(backoffMs(failures, this.#options.random()));
      }
    }
  }

  async #fetch(): Promise<Work> {
    this.#client ??= await NodeClient.connect(this.#options.url);
    const { miner } = this.#options;
    const chainId = this.#wantedChain ?? this.#current?.chainId;
    this.#wantedChain = undefined;
    return this.#client.work({ miner, chainId, timeoutMs: this.#timings.workTimeoutMs });
  }

  #accept(work: Work): void {
    if (this.#closing.signal.aborted || !this.#client) return;
    const previous = this.#current;
    this.#current = work;
    if (previous?.chainId !== work.chainId) {
      if (previous) this.#options.sink.retireWork(previous.chainId);
      this.#watch(this.#client, work.chainId);
    }
    this.#report({ state: 'healthy', network: this.#client.address.network, reason: 'gives work' });
    this.#options.sink.offerWork(work, this.url);
  }

  /** Opening the stream leads to another fetch: a cut between the first fetch and the opening is not missed. */
  #watch(client: NodeClient, chainId: number): void {
    this.#stream?.close();
    const { log, random } = this.#options;
    const onUpdate = (): void => this.refresh();
    this.#stream = new UpdateStream({
      client,
      chainId,
      onUpdate,
      log,
      silenceMs: this.#timings.silenceMs,
      random,
    });
  }

  #failed(error: unknown, failures: number): void {
    if (!(error instanceof NodeError)) throw error;
    const noWorkYet = error.code === 'timeout' && this.#client !== undefined && failures < 3;
    if (noWorkYet) return;
    const network = this.#client?.address.network ?? '';
    this.#report({ ...explain(error), network });
    if (error.details.status === 404) this.#forgetAddress();
  }

  /** A node that no longer knows its paths may have come back as another network. */
  #forgetAddress(): void {
    const client = this.#client;
    this.#client = undefined;
    this.#stream?.close();
    this.#current = undefined;
    client?.close().catch((error: unknown) => {
      this.#options.log.warn({ node: this.url, error: rootMessage(error) }, 'could not close connections');
    });
  }

  #report(status: NodeStatus): void {
    const { state, network, reason } = this.#status;
    if (state === status.state && network === status.network && reason === status.reason) return;
    this.#status = status;
    this.#options.onStatus(status);
  }

  async #pause(ms: number): Promise<void> {
    if (this.#wanted) return;
    await this.#sleep(ms, (wake) => {
      this.#wake = wake;
    });
    this.#wake = undefined;
  }

  async #pauseInTrouble(ms: number): Promise<void> {
    await this.#sleep(ms, (wake) => this.#closing.signal.addEventListener('abort', wake, { once: true }));
  }

  async #sleep(ms: number, register: (wake: () => void) => void): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      register(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

/** What an error means for an operator, in words that say what to do. */
export function explain(error: NodeError): { state: NodeState; reason: string } {
  const { status, text = '' } = error.details;
  if (status === 404) {
    return { state: 'disabled', reason: 'mining is disabled (404): enable mining coordination in the node' };
  }
  if (status === 403) {
    const advice = 'add the account with these keys and predicate to the miners in the node configuration';
    return { state: 'unauthorized', reason: `the account is not authorised (${text}): ${advice}` };
  }
  if (status === 503) {
    return {
      state: 'away',
      reason: `the node is overloaded (${text || '503'}): fewer miners, or raise its limits`,
    };
  }
  if (error.code === 'timeout') {
    return {
      state: 'away',
      reason: `${error.message}: it may be catching up, or have no chain that can be mined`,
    };
  }
  return { state: 'away', reason: error.code === 'unreachable' ? rootMessage(error) : error.message };
}
