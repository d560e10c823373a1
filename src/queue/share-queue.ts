/**
 * Takes shares for good: gathers them into entries and adds these to BullMQ, or to the spool on disk while BullMQ's
 * backend is away.
 *
 *     direct    -> an add fails ->  spooling: entries go to the spool, which is replayed in order
 *     spooling  -> the spool is empty ->  direct
 *
 * A few entries are under way at a time; what arrives meanwhile is gathered into the next. An add that failed may yet have
 * happened, so the entry keeps its id on every further way, and the ledger credits an id once. When the spool does not take
 * such an entry either, its shares are neither acknowledged nor refused: it is held in memory and tried until one of the
 * two takes it. So what was refused is never in the books.
 */
import { join } from 'node:path';
import type { ShareLog } from '../bridge/ports.js';
import type { Log } from '../core/log.js';
import type { Share } from '../core/share.js';
import type { QueueConnection } from './connection.js';
import { type EncodedEntry, encodeEntry } from './entry.js';
import { EntryNumbers } from './entry-numbers.js';
import { type Gathered, newGathered } from './gathered.js';
import { type EntryAdder, Producer } from './producer.js';
import { type RejectedSubmit, RejectionCounts } from './rejection-counts.js';
import { SPOOL_LIMITS, Spool, type SpoolLimits } from './spool.js';
import type { SpoolError } from './spool-error.js';
import { type HeldEntry, Spooler } from './spooler.js';

export interface ShareQueueLimits {
  /** Shares of one entry. */
  readonly sharesPerEntry: number;
  /** How long shares are gathered before they are added. */
  readonly gatherMs: number;
  /** Shares that wait for their entry; beyond, further ones are refused. */
  readonly waitingShares: number;
  /** Patience with one add. */
  readonly addTimeoutMs: number;
  readonly spool: SpoolLimits;
}

export const SHARE_QUEUE_LIMITS: ShareQueueLimits = {
  sharesPerEntry: 500,
  gatherMs: 20,
  waitingShares: 100_000,
  addTimeoutMs: 2000,
  spool: SPOOL_LIMITS,
};

export interface ShareQueueOptions {
  readonly connection: QueueConnection;
  /** The spool lies in `<dataDir>/spool`; the caller holds the lock of this folder. */
  readonly dataDir: string;
  readonly log: Log;
  /** A random UUID (`crypto.randomUUID`): names this start among all starts of all bridges. */
  readonly newProducerId: () => string;
  readonly limits?: ShareQueueLimits;
}

export interface ShareQueueStats {
  readonly backend: 'postgres' | 'redis';
  /** The backend answered just now. */
  readonly isUp: boolean;
  /** Entries that BullMQ holds and no recorder has credited yet; the last known number while its backend is away. */
  readonly waiting: number;
  /** Entries that no recorder could read. They are kept for people to look at. */
  readonly failed: number;
  /** Entries in the spool, and those that neither queue nor spool took for sure. */
  readonly spooled: number;
}

/** The share was not taken: nothing is promised about it. */
export class ShareQueueError extends Error {
  override readonly name = 'ShareQueueError';
  readonly code: 'busy' | 'closed';

  constructor(code: ShareQueueError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** More would only wait for one another's commits. */
const ADDS_AT_A_TIME = 4;
const REJECTIONS_GATHER_MS = 1000;

/** Opens the spool and tries the backend; when that is away, shares are spooled until it comes. */
export async function openShareQueue(options: ShareQueueOptions): Promise<ShareQueue> {
  const limits = options.limits ?? SHARE_QUEUE_LIMITS;
  const spool = await Spool.open(join(options.dataDir, 'spool'), options.log, limits.spool);
  const producer = new Producer(options.connection, options.log, limits.addTimeoutMs);
  const queue = new ShareQueue(options, limits, spool, producer);
  await queue.start();
  return queue;
}

export class ShareQueue implements ShareLog {
  readonly #log: Log;
  readonly #backend: 'postgres' | 'redis';
  readonly #limits: ShareQueueLimits;
  readonly #spooler: Spooler;
  readonly #producer: EntryAdder;
  /** Names this start in entry ids. */
  readonly producerId: string;
  readonly #closing = new AbortController();
  /** What became of each entry: for the watch over losses. */
  readonly numbers = new EntryNumbers();
  /** Full ones, and the one that takes the next share. */
  readonly #full: Gathered[] = [];
  #forming: Gathered | undefined;
  readonly #rejections = new RejectionCounts();
  #rejectionTimer: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #underWay = new Set<Promise<void>>();
  /** Entries that are not kept, held or refused yet. */
  readonly #placing = new Set<Promise<unknown>>();
  /** The gathering time is over for what is gathered now. */
  #due = false;
  #lastCounts = { waiting: 0, failed: 0 };
  #refusing = false;

  constructor(options: ShareQueueOptions, limits: ShareQueueLimits, spool: Spool, producer: EntryAdder) {
    this.#log = options.log;
    this.#backend = options.connection.backend;
    this.#limits = limits;
    this.#spooler = new Spooler(spool, producer, options.log);
    this.#producer = producer;
    this.producerId = options.newProducerId();
  }

  async start(): Promise<void> {
    try {
      this.#lastCounts = await this.#producer.counts();
    } catch (error) {
      this.#spooler.begin(error as Error);
    }
    this.#spooler.resume();
  }

  append(share: Share): Promise<void> {
    if (this.#closing.signal.aborted)
      return Promise.reject(new ShareQueueError('closed', 'the bridge is stopping'));
    if (this.#gathered >= this.#limits.waitingShares) {
      return Promise.reject(new ShareQueueError('busy', `${this.#gathered} shares are waiting already`));
    }
    this.#forming ??= newGathered();
    const { shares, kept } = this.#forming;
    this.#timer ??= setTimeout(() => this.#makeDue(), this.#limits.gatherMs);
    if (shares.push(share) >= this.#limits.sharesPerEntry) {
      this.#full.push(this.#forming);
      this.#forming = undefined;
      this.#pump();
    }
    return kept;
  }

  /** Counts a submit that was no share; with the next entry, or one of its own, it gets into the books. */
  countRejection(submit: RejectedSubmit): void {
    if (this.#closing.signal.aborted) return;
    this.#rejections.add(submit);
    this.#rejectionTimer ??= setTimeout(() => this.#makeDue(), REJECTIONS_GATHER_MS);
  }

  async stats(): Promise<ShareQueueStats> {
    const counts = await this.#producer.counts().catch(() => undefined);
    this.#lastCounts = counts ?? this.#lastCounts;
    const isUp = counts !== undefined;
    return { backend: this.#backend, isUp, ...this.#lastCounts, spooled: this.#spooler.records };
  }

  /** Entries of this bridge wait on disk or in memory for the backend. */
  get isSpooling(): boolean {
    return !this.#spooler.isEmpty;
  }

  /** Those of these entries that the backend does not hold. Rejects while it is away. */
  async absent(numbers: readonly number[]): Promise<number[]> {
    const ids = numbers.map((number) => ({ producer: this.producerId, number }));
    return (await this.#producer.absent(ids)).map(({ number }) => number);
  }

  /** Takes no further share, brings those at hand to the queue or the spool, and lets go of both. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#makeDue();
    while (this.#underWay.size > 0) await Promise.race(this.#underWay);
    await this.#spooler.close();
    await this.#producer.close();
  }

  #makeDue(): void {
    this.#due = true;
    this.#pump();
  }

  #pump(): void {
    while (this.#underWay.size < ADDS_AT_A_TIME && this.#isDue()) {
      const gathered = this.#next();
      if (this.#gathered === 0) this.#restTimers();
      const delivered = this.#deliver(gathered).finally(() => {
        this.#underWay.delete(delivered);
        this.#pump();
      });
      this.#underWay.add(delivered);
    }
  }

  #next(): Gathered {
    const full = this.#full.shift();
    if (full) return full;
    const gathered = this.#forming ?? newGathered();
    this.#forming = undefined;
    return gathered;
  }

  #isDue(): boolean {
    return this.#full.length > 0 || (this.#due && !this.#isIdle);
  }

  get #isIdle(): boolean {
    return this.#gathered === 0 && this.#rejections.isEmpty;
  }

  /** Shares that wait for their entry. */
  get #gathered(): number {
    return this.#full.length * this.#limits.sharesPerEntry + (this.#forming?.shares.length ?? 0);
  }

  #restTimers(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#rejectionTimer);
    this.#timer = undefined;
    this.#rejectionTimer = undefined;
    this.#due = this.#closing.signal.aborted;
  }

  /** Never rejects: the shares are told. Resolves when the next entry may have its turn. */
  async #deliver(gathered: Gathered): Promise<void> {
    const id = { producer: this.producerId, number: this.numbers.next() };
    const rejections = this.#rejections.take();
    const entry = encodeEntry({ id, shares: gathered.shares, rejections });
    const placing = this.#place(entry, [...this.#placing]).finally(() => this.#placing.delete(placing));
    this.#placing.add(placing);
    const kept = placing.then((place) => (place === 'kept' ? undefined : place.untilKept));
    const told = kept.then(
      () => this.#acknowledge(id.number, gathered),
      (error: Error) => this.#refuse(id.number, error, gathered),
    );
    await Promise.race([told, placing.catch(() => {})]); // a refusal is told above
  }

  #acknowledge(number: number, gathered: Gathered): void {
    this.#refusing = false;
    this.numbers.acknowledge(number);
    gathered.resolve();
  }

  #refuse(number: number, error: Error, gathered: Gathered): void {
    this.numbers.refuse(number);
    if (!this.#refusing) this.#log.error({ error: error.message }, 'shares are refused: they cannot be kept');
    this.#refusing = true;
    gathered.reject(error);
  }

  /**
   * Rejects only when the entry is neither in the queue nor in the spool, and never will be.
   * @param earlier the entries before this one that have no place yet: none overtakes another into the spool.
   */
  async #place(entry: EncodedEntry, earlier: readonly Promise<unknown>[]): Promise<'kept' | HeldEntry> {
    let mayBeAdded = false;
    if (!this.#spooler.isSpooling) {
      try {
        await this.#producer.add(entry);
        return 'kept';
      } catch (error) {
        mayBeAdded = true;
        this.#spooler.begin(error as Error);
      }
    }
    await Promise.allSettled(earlier);
    try {
      await this.#spooler.append(entry);
      return 'kept';
    } catch (error) {
      if (mayBeAdded || (error as SpoolError).code === 'spool-unsure') return this.#spooler.hold(entry);
      throw error;
    }
  }
}
