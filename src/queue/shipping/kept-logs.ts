/**
 * All logs of this data directory, of this start and of earlier ones. With each renewal of their lease the ledger says what it has of each:
 * what it has no more, or never got, is shipped again from segments that are kept for an hour after they were booked.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { EntryRange, LogLedger } from '../../bridge/ports.js';
import type { Log } from '../../core/names/log.js';
import { within } from '../bullmq/connection.js';
import { OtherLedgerError, requireLedger } from '../log/ledger-mark.js';
import type { Segment } from '../log/segments.js';
import type { KeptLog } from './kept-log.js';

export interface KeptLogsLimits {
  /** Between two renewals of the lease, which lasts for 30 s. */
  readonly renewMs: number;
  /** What was shipped so long ago and is not booked is shipped again. */
  readonly againMs: number;
  /** Segments stay for so long after they were booked, and so many bytes of them in all. */
  readonly keepMs: number;
  readonly keepBytes: number;
}

export const KEPT_LOGS_LIMITS: KeptLogsLimits = {
  renewMs: 10_000,
  againMs: 60_000,
  keepMs: 3_600_000,
  keepBytes: 256 * 2 ** 20,
};

interface KeptLogsParts {
  readonly folder: string;
  readonly own: KeptLog;
  readonly former: readonly KeptLog[];
  readonly ledger: LogLedger;
  /** For people: host and data directory. */
  readonly place: string;
  readonly log: Log;
  readonly limits: KeptLogsLimits;
}

export class KeptLogs {
  readonly #parts: KeptLogsParts;
  readonly #closing = new AbortController();
  #own: KeptLog;
  /** Those of which the ledger has said what it has. */
  #former: readonly KeptLog[] = [];
  #unasked: readonly KeptLog[];
  #isRightLedger = false;
  #isWaitedFor = true;
  #renewing: Promise<void> | undefined;
  /** Resolves once the ledger knows of all logs here: nothing is split without their shares from then on. */
  readonly announced: Promise<void>;
  #isAnnounced = (): void => {};
  /** Resolves when the ledger was asked for the first time, whatever came of it. */
  readonly asked: Promise<void>;
  #isAsked = (): void => {};
  /** Resolves when the ledger that answers turns out to be another one than that of the logs here. */
  readonly refused: Promise<OtherLedgerError>;
  #refuse: (error: OtherLedgerError) => void = () => {};

  constructor(parts: KeptLogsParts) {
    this.#parts = parts;
    this.#own = parts.own;
    this.#unasked = parts.former;
    this.announced = new Promise((resolve) => {
      this.#isAnnounced = resolve;
    });
    this.asked = new Promise((resolve) => {
      this.#isAsked = resolve;
    });
    this.refused = new Promise((resolve) => {
      this.#refuse = resolve;
    });
  }

  /** Nothing is shipped before the ledger has said that it is the one that the logs here were written for. */
  get mayShip(): boolean {
    return this.#isRightLedger;
  }

  /** Settlement waits to hear how far this bridge is, as far as is known. */
  get isWaitedFor(): boolean {
    return this.#isWaitedFor;
  }

  /** Those of earlier starts of which it is known what is to be shipped. */
  get former(): readonly KeptLog[] {
    return this.#former;
  }

  get all(): readonly KeptLog[] {
    return [this.#own, ...this.#former, ...this.#unasked];
  }

  /** May have what is not booked: settlement waits for these. */
  get unbooked(): readonly string[] {
    const former = this.#former.filter(({ isBooked }) => !isBooked);
    const own = this.#own.isOnDisk ? [this.#own] : [];
    return [...own, ...former, ...this.#unasked].map(({ id }) => id);
  }

  get isFormerBooked(): boolean {
    return this.#unasked.length === 0 && this.#former.every(({ isBooked }) => isBooked);
  }

  /** From now on the own log is this one. */
  succeed(own: KeptLog): void {
    this.#former = [...this.#former, this.#own];
    this.#own = own;
  }

  start(): void {
    this.#renewing = this.#keepRenewing();
  }

  /** A ledger that is away is not waited for. */
  async close(withinMs: number): Promise<void> {
    this.#closing.abort();
    if (this.#renewing) await within(withinMs, this.#renewing).catch(() => {});
  }

  async #keepRenewing(): Promise<void> {
    const { limits, log } = this.#parts;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#renew();
      } catch (error) {
        if (error instanceof OtherLedgerError) {
          this.#isRightLedger = false;
          log.error({}, error.message);
          this.#refuse(error);
          this.#isAsked();
          return;
        }
        const words = 'the ledger does not hear of the logs here now, nor say what it has of them';
        log.debug({ error: (error as Error).message }, words);
      }
      this.#isAsked();
      await pause(limits.renewMs, undefined, { signal }).catch(() => {}); // ended, which the loop sees
    }
  }

  async #renew(): Promise<void> {
    const { folder, ledger, place } = this.#parts;
    await requireLedger(folder, await ledger.id());
    this.#isRightLedger = true;
    this.#isWaitedFor = await ledger.renewLogs(this.unbooked, place);
    this.#isAnnounced();
    const unasked = this.#unasked;
    for (const one of [...unasked, ...this.#former, this.#own]) await this.#read(one);
    this.#former = [...this.#former, ...unasked].filter(({ isGone }) => !isGone);
    await this.#removeOld();
  }

  async #read(one: KeptLog): Promise<void> {
    const { ledger, limits, log } = this.#parts;
    const { again, gone } = await one.read(ledger, limits.againMs, performance.now());
    if (this.#unasked.includes(one)) {
      this.#unasked = this.#unasked.filter((other) => other !== one);
      const words = 'shares of an earlier start are in the share log; they are shipped now';
      if (one.waitingShares > 0) log.warn({ shares: one.waitingShares }, words);
    }
    const words = 'entries that were shipped are not booked: they are shipped again from the share log';
    if (again > 0) log.error({ log: one.id, entries: again }, words);
    for (const entries of gone) await this.#giveUp(one.id, entries);
  }

  /** The ledger has gone back to a time for which nothing is kept any more. Nothing waits for ever. */
  async #giveUp(id: string, entries: EntryRange): Promise<void> {
    const { ledger, log, place } = this.#parts;
    await ledger.giveUpEntries(id, entries, `the bridge at ${place}`);
    const words =
      'the ledger does not have entries of which the share log keeps nothing any more: they are given up';
    log.error({ log: id, ...entries }, words);
  }

  /** The oldest first. */
  async #removeOld(): Promise<void> {
    const { keepMs, keepBytes } = this.#parts.limits;
    const kept = this.all
      .flatMap((log) => Array.from(log.bookedSegments, ([segment, sinceMs]) => ({ log, segment, sinceMs })))
      .sort((a, b) => a.sinceMs - b.sinceMs);
    const old = performance.now() - keepMs;
    let bytes = kept.reduce((sum, { segment }) => sum + segment.bytes, 0);
    const removed = new Map<KeptLog, Segment[]>();
    for (const { log, segment, sinceMs } of kept) {
      if (sinceMs > old && bytes <= keepBytes) break;
      bytes -= segment.bytes;
      removed.set(log, [...(removed.get(log) ?? []), segment]);
    }
    for (const [log, segments] of removed) await log.remove(segments);
    this.#former = this.#former.filter(({ isGone }) => !isGone);
  }
}
