/**
 * In which slot something counts: that of its time, unless settlement went on without its log before it was booked. It waits for each log that
 * the ledger knows, while its lease stands and then for `patience` of turns (design.md 4). So only what nobody could know of, or what patience
 * has run out for, counts from where it enters.
 */
import { SLOT_MS } from './model.js';

const LEASE_MS = 30_000;
/** A turn counts for no longer: nobody could be heard while the ledger was away. */
const LONGEST_TURN_MS = 30_000;
/** Without a turn for so long the ledger was away: nothing is split then before all who live could name their logs. */
const AWAY_MS = 15_000;

interface KnownLog {
  heardAtMs: number;
  waitedMs: number;
  /** By order of a person. */
  isEnded: boolean;
}

export class Waiting {
  readonly #patienceMs: number;
  readonly #known = new Map<string, KnownLog>();
  /** The first slot in which what is booked of it now can count. */
  readonly #openFrom = new Map<string, number>();
  /** That it will name, since the ledger is there again. */
  readonly #coming = new Set<string>();
  #closedTo = 0;
  #turnAtMs: number;

  constructor(patienceMs: number, nowMs: number) {
    this.#patienceMs = patienceMs;
    this.#turnAtMs = nowMs;
  }

  /** The ledger is there again, and these bridges live. What was closed before stays closed for logs that nobody knew of. */
  back(logs: readonly string[], nowMs: number): void {
    if (nowMs - this.#turnAtMs <= AWAY_MS) return;
    for (const log of logs.filter((one) => !this.#known.has(one))) {
      this.#coming.add(log);
      this.#openFrom.set(log, this.#closedTo);
    }
  }

  /** Something of it was booked, or, which makes patience begin anew, its lease was renewed. */
  heard(log: string, nowMs: number, isRenewed: boolean): void {
    const { waitedMs = 0, isEnded = false } = this.#known.get(log) ?? {};
    if (!this.#known.has(log) && !this.#coming.delete(log)) this.#openFrom.set(log, this.#closedTo);
    this.#known.set(log, { heardAtMs: nowMs, waitedMs: isRenewed ? 0 : waitedMs, isEnded });
  }

  end(log: string): void {
    const known = this.#known.get(log);
    if (known) known.isEnded = true;
  }

  isEnded(log: string): boolean {
    return this.#known.get(log)?.isEnded ?? false;
  }

  turn(nowMs: number): void {
    const passedMs = Math.min(LONGEST_TURN_MS, nowMs - this.#turnAtMs);
    this.#turnAtMs = nowMs;
    for (const known of this.#known.values())
      known.waitedMs = nowMs - known.heardAtMs <= LEASE_MS ? 0 : known.waitedMs + passedMs;
  }

  /** Slots before this one are closed by now: for logs that nobody waits for, and for no others. @param reached of bridges that can name them. */
  closed(slot: number, nowMs: number, reached: readonly string[]): void {
    if (slot <= this.#closedTo) return;
    this.#closedTo = slot;
    for (const log of this.#coming) if (!reached.includes(log)) this.#coming.delete(log);
    for (const [log, { heardAtMs, waitedMs, isEnded }] of this.#known) {
      const isWaitedFor = nowMs - heardAtMs <= LEASE_MS || waitedMs < this.#patienceMs;
      if (isEnded || !isWaitedFor) this.#openFrom.set(log, slot);
    }
  }

  /** Of what happened in a log then and is booked now. No clock makes it count in a time that has not come. */
  slotOf(log: string, atMs: number, nowMs: number): number {
    return Math.max(Math.floor(Math.min(atMs, nowMs) / SLOT_MS), this.#openFrom.get(log) ?? 0);
  }

  /** Of a block that gets its round now: that of its time, or the first that is open. */
  slotOfBlock(foundAtMs: number, nowMs: number): number {
    return Math.max(Math.floor(Math.min(foundAtMs, nowMs) / SLOT_MS), this.#closedTo);
  }
}
