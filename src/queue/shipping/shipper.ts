/**
 * Ships what the share log holds: cuts it once a second, sums what lies between two cuts, and adds that to BullMQ as one entry.
 * While the queue takes nothing, or is as full as it may be, shares wait in the log. Entries are then cut by size instead.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { WorkSum } from '../../bridge/ports.js';
import type { Log } from '../../core/names/log.js';
import { within } from '../bullmq/connection.js';
import type { EntryAdder } from '../bullmq/entry-queue.js';
import type { Cut } from '../log/records.js';
import { isReadError } from '../log/segments.js';
import { encodeInPieces } from './entry.js';
import type { KeptLog } from './kept-log.js';
import type { KeptLogs } from './kept-logs.js';
import type { OwnLog } from './own-log.js';
import type { RejectionCounts } from './rejection-counts.js';

export interface ShipperLimits {
  /** Between two entries while all is well; that time for every so many sums of the last one, so that rigs that are fast have fewer of them. */
  readonly shipMs: number;
  readonly sumsPerShip: number;
  /** An entry without a share tells how far this bridge is: so often where settlement waits for it, and so often where it does not. */
  readonly heartbeatMs: number;
  readonly idleMs: number;
  /** Of the log that one entry sums up while entries wait for the queue. */
  readonly cutBytes: number;
  /** Entries that the queue may hold. */
  readonly queueEntries: number;
}

export const SHIPPER_LIMITS: ShipperLimits = {
  shipMs: 1000,
  sumsPerShip: 2000,
  heartbeatMs: 5000,
  idleMs: 60_000,
  cutBytes: 2 ** 18,
  queueEntries: 10_000,
};

interface ShipperParts {
  readonly own: OwnLog;
  readonly logs: KeptLogs;
  readonly queue: EntryAdder;
  readonly rejections: RejectionCounts;
  readonly log: Log;
  readonly limits: ShipperLimits;
}

const TELL_MS = 60_000;
const LONGEST_DELAY_MS = 5000;
/** While a start waits for the first word of the ledger. */
const ASK_MS = 1000;
/** So many times slower at most: settlement waits for the watermark, and who looks for the sums. */
const SLOWEST = 2;
/** At an end, for what is left to be shipped. */
const CLOSE_MS = 3000;

export class Shipper {
  readonly #parts: ShipperParts;
  readonly #closing = new AbortController();
  #wakeUp = new AbortController();
  /** Of the entry that is tried now: a further try is the same entry. */
  #carried: { readonly number: number; readonly rejections: readonly WorkSum[] } | undefined;
  #cutAtMs = Number.NEGATIVE_INFINITY;
  /** Of the last entry. */
  #sums = 0;
  #failures = 0;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #unreadAtMs = Number.NEGATIVE_INFINITY;
  #shipping: Promise<void> | undefined;
  readonly #waiters: (() => void)[] = [];

  constructor(parts: ShipperParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#shipping = this.#ship();
  }

  /** The queue takes nothing, or holds all it may. */
  get isBehind(): boolean {
    return this.#failures > 0;
  }

  /** Acknowledged shares that the queue has not taken. */
  get shares(): number {
    const { logs, own } = this.#parts;
    const { disk } = own;
    const uncut = disk.shares - (disk.lastCut?.shares ?? 0);
    return logs.all.reduce((sum, { waitingShares }) => sum + waitingShares, uncut);
  }

  /** When the oldest of them was accepted, within a second while entries are made; ms since the epoch. */
  get waitsSinceMs(): number | undefined {
    const { logs, own } = this.#parts;
    const { disk } = own;
    const cut = disk.lastCut;
    const uncut = cut && disk.shares > cut.shares ? [cut.watermarkMs] : [];
    const times = logs.all.flatMap(({ waitsSinceMs }) => waitsSinceMs ?? []);
    return times.length + uncut.length === 0 ? undefined : Math.min(...times, ...uncut);
  }

  /** Resolves when the queue has what is in the log now, or the bridge stops before that: the next start ships it. */
  shipped(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
      if (!this.isBehind) this.#wakeUp.abort();
    });
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /** Ships what is left, if the queue takes it within a few seconds: whether it did. To be called when nothing is appended any more. */
  async close(withinMs: number): Promise<boolean> {
    this.#closing.abort();
    this.#wakeUp.abort();
    const shipMs = Math.min(CLOSE_MS, 0.9 * withinMs);
    const shipped = Promise.resolve(this.#shipping).then(() => this.#shipLast());
    const isShipped = await within(shipMs, shipped).then(
      () => true,
      (error: Error) => {
        const fields = { shares: this.shares, error: error.message };
        this.#parts.log.warn(
          fields,
          'the share queue takes nothing: shares stay on the disk for the next start',
        );
        return false;
      },
    );
    for (const resolve of this.#waiters.splice(0)) resolve();
    return isShipped;
  }

  async #shipLast(): Promise<void> {
    const { own } = this.#parts;
    own.kept.add(await own.disk.cut(true));
    this.#requireLedger();
    await this.#shipFormer();
    await this.#shipOwn();
  }

  async #ship(): Promise<void> {
    const { log } = this.#parts;
    let delayMs = 0;
    await this.#hearLedger();
    while (!this.#closing.signal.aborted) {
      await this.#pause(delayMs);
      if (this.#closing.signal.aborted) return;
      try {
        await this.#turn();
        if (this.#failures > 0) log.info({}, 'the share queue takes shares again');
        this.#failures = 0;
        delayMs = this.#waiters.length > 0 ? 0 : this.#pace();
      } catch (error) {
        this.#failures++;
        this.#tell(error as Error);
        await this.#cutBySize().catch(() => {}); // the disk takes none: it was told, and what is on it waits
        delayMs = Math.min(LONGEST_DELAY_MS, 250 * 2 ** Math.min(this.#failures, 10));
      }
    }
  }

  /** Until the ledger was asked for the first time. What comes meanwhile is not to be one entry. */
  async #hearLedger(): Promise<void> {
    const { signal } = this.#closing;
    let isAsked = false;
    const asked = this.#parts.logs.asked.then(() => {
      isAsked = true;
    });
    while (!isAsked && !signal.aborted) {
      await Promise.race([asked, pause(ASK_MS, undefined, { signal })]).catch(() => {}); // ended, which the loop sees
      await this.#cutBySize().catch(() => {}); // the disk takes none: it was told, and what is on it waits
    }
  }

  #pace(): number {
    const { shipMs, sumsPerShip } = this.#parts.limits;
    return shipMs * Math.min(SLOWEST, Math.max(1, this.#sums / sumsPerShip));
  }

  /** A wake-up ends it, and a wake-up of before is one for now. */
  async #pause(delayMs: number): Promise<void> {
    await pause(delayMs, undefined, { signal: this.#wakeUp.signal }).catch(() => {});
    this.#wakeUp = new AbortController();
    if (this.#closing.signal.aborted) this.#wakeUp.abort();
  }

  #requireLedger(): void {
    if (!this.#parts.logs.mayShip) throw new Error('the ledger has not said yet which one it is');
  }

  async #turn(): Promise<void> {
    this.#requireLedger();
    await this.#parts.own.keepTime();
    await this.#shipFormer();
    await this.#shipOwn();
    if (!this.#isDue()) return;
    const waiters = this.#waiters.splice(0);
    try {
      await this.#cut();
      await this.#shipOwn();
    } catch (error) {
      this.#waiters.unshift(...waiters);
      throw error;
    }
    for (const resolve of waiters) resolve();
  }

  #isDue(): boolean {
    const { own, logs, rejections, limits } = this.#parts;
    const { disk } = own;
    if (disk.shares > (disk.lastCut?.shares ?? 0) || disk.hasUncutSolutions) return true;
    if (!rejections.isEmpty || this.#waiters.length > 0) return true;
    return performance.now() - this.#cutAtMs >= (logs.isWaitedFor ? limits.heartbeatMs : limits.idleMs);
  }

  async #cut(): Promise<void> {
    const { disk, kept } = this.#parts.own;
    kept.add(await disk.cut());
    this.#cutAtMs = performance.now();
  }

  async #cutBySize(): Promise<void> {
    const { own, limits } = this.#parts;
    if (own.disk.bytesSinceCut >= limits.cutBytes) await this.#cut();
  }

  async #shipFormer(): Promise<void> {
    for (const log of this.#parts.logs.former)
      await this.#shipAll(log, () => []).catch((error: Error) => {
        if (!isReadError(error)) throw error;
        this.#tellUnread(error);
      });
  }

  async #shipOwn(): Promise<void> {
    const { own, rejections } = this.#parts;
    await this.#shipAll(own.kept, ({ number }) => {
      if (this.#carried?.number !== number) this.#carried = { number, rejections: rejections.take() };
      return this.#carried.rejections;
    });
  }

  async #shipAll(log: KeptLog, rejectionsOf: (cut: Cut) => readonly WorkSum[]): Promise<void> {
    const { queue, limits } = this.#parts;
    for (let cut = log.next; cut; cut = log.next) {
      const { waiting } = await queue.counts();
      if (waiting >= limits.queueEntries)
        throw new Error(`${waiting} entries wait in the queue already (queue.entries): does a recorder run?`);
      const entry = await log.entryOf(cut, log.isAgain(cut) ? [] : rejectionsOf(cut));
      this.#sums = entry.sums.length;
      await queue.add(await encodeInPieces(entry));
      log.shipped(cut, performance.now());
      // What comes while others are shipped is not to be one entry, however long that takes.
      await this.#cutBySize();
    }
  }

  /** What the disk does not give of an earlier start holds up nothing else. */
  #tellUnread({ path, message }: NodeJS.ErrnoException): void {
    const nowMs = performance.now();
    if (nowMs - this.#unreadAtMs < TELL_MS) return;
    this.#unreadAtMs = nowMs;
    this.#parts.log.error(
      { path, error: message },
      'a segment of an earlier start cannot be read: its shares are not shipped until it can',
    );
  }

  /** Once a minute, for as long as it takes: a queue that answers and yet takes nothing would go unseen. */
  #tell(error: Error): void {
    const nowMs = performance.now();
    const isNew = this.#failures === 1 || nowMs - this.#toldAtMs >= TELL_MS;
    if (isNew) this.#toldAtMs = nowMs;
    const fields = { shares: this.shares, error: error.message };
    const words = 'the share queue takes nothing now: shares wait in the share log on disk';
    this.#parts.log[isNew ? 'warn' : 'debug'](fields, words);
  }
}
