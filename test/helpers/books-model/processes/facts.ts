/** What bridges said in a history, and what of it the books have to say too: independent of how the ledger came to it. */
import { expect } from 'vitest';
import { SLOT_MS } from '../model.js';
import type { BookedBlock, BookedShare } from './ledger-rows.js';
import type { Word, Written } from './words.js';

interface Log {
  readonly bornMs: number;
  /** Its clock is the ledger's. */
  readonly isRight: boolean;
  /** When the ledger was told of it. */
  readonly namedMs: number[];
}

/** From and to, by the clock of the ledger. */
type Span = readonly [fromMs: number, toMs: number];

/** A lease, the calm after the ledger was away, and the longest that a turn of settlement counts for (design.md 4). */
const LEASE_MS = 30_000;
const CALM_MS = 30_000;
const LONGEST_TURN_MS = 30_000;
const AWAY_MS = 15_000;
/** One in which all is well, on a busy machine. */
const TURN_MS = 15_000;
/** Between what happened and when a test has heard of it. */
const SLACK_MS = 16_000;

export class Facts {
  readonly accepted = new Map<number, Written>();
  readonly refused = new Set<number>();
  readonly found = new Map<number, Written>();
  /** Solutions that a node may have, and when that was on a disk. */
  readonly taken = new Map<number, number>();
  /** The ledger was away for everybody. */
  readonly away: Span[] = [];
  readonly #logs = new Map<string, Log>();

  heard(said: Word): void {
    if (said.word === 'accepted') this.accepted.set(said.number, said);
    else if (said.word === 'refused') this.refused.add(said.number);
    else if (said.word === 'found') this.found.set(said.number, said);
    else if (said.word === 'answered' && said.state !== 'refused') this.taken.set(said.number, said.atMs);
    else if (said.word === 'log')
      this.#logs.set(said.log, { bornMs: said.atMs, isRight: said.isRight, namedMs: [] });
    else if (said.word === 'named') for (const log of said.logs) this.#logs.get(log)?.namedMs.push(said.atMs);
  }

  get logs(): string[] {
    return [...this.#logs.keys()];
  }

  /** Each share that was promised is booked once, as it was; and none that was refused. */
  expectBookedOnce(shares: readonly BookedShare[]): void {
    const booked = new Set(shares.map(({ number }) => number));
    expect(
      [...this.accepted.keys()].filter((one) => !booked.has(one)),
      'promised and not booked',
    ).toEqual([]);
    expect(
      [...this.refused].filter((one) => booked.has(one)),
      'refused and booked',
    ).toEqual([]);
    const others = shares.filter(
      (one) =>
        one.submits !== 1 ||
        one.booked.account !== one.account ||
        one.booked.work !== one.work ||
        one.booked.seconds !== SLOT_MS / 1000,
    );
    expect(others, 'booked otherwise than once, as it was').toEqual([]);
    expect(booked.size, 'rows of one share each').toBe(shares.length);
  }

  /** LQ1: no block counts before what its own log had promised before it. */
  expectAfterItsShares(shares: readonly BookedShare[], slotOfBlock: (number: number) => number | undefined) {
    const slots = new Map(shares.map(({ number, slot }) => [number, slot]));
    for (const { number, log, place } of this.found.values()) {
      const slot = slotOfBlock(number);
      if (slot === undefined) continue;
      const before = [...this.accepted.values()].filter((one) => one.log === log && one.place < place);
      const later = before.filter((one) => (slots.get(one.number) ?? 0) > slot);
      expect(later, `LQ1: shares of before solution ${number} of slot ${slot} in later slots`).toEqual([]);
    }
  }

  /**
   * What was promised counts in the slot in which it happened, unless nobody could know of its log in time, or it was silent for longer than
   * patience lasts. LQ2: time in which the ledger was away is no silence. Of logs whose clock was the ledger's, and of blocks that were known to be
   * taken before their slot ended.
   */
  expectInTime(shares: readonly BookedShare[], blocks: ReadonlyMap<number, BookedBlock>, patienceMs: number) {
    const slots = new Map(shares.map(({ number, slot }) => [number, slot]));
    const late = [...this.accepted.values()].filter(
      (one) => this.#isExact(one, patienceMs) && slots.get(one.number) !== slotOf(one.atMs),
    );
    expect(late.map(this.#told), 'shares in another slot than their own').toEqual([]);
    const lateBlocks = [...this.found.values()].filter((one) => {
      const slot = slotOf(one.atMs);
      const isTakenInTime = slotOf(this.taken.get(one.number) ?? Infinity) === slot;
      return isTakenInTime && this.#isExact(one, patienceMs) && blocks.get(one.number)?.slot !== slot;
    });
    expect(lateBlocks.map(this.#told), 'blocks in another slot than their own').toEqual([]);
  }

  /** How many shares count later than they were accepted. */
  lateShares(shares: readonly BookedShare[]): number {
    return shares.filter(({ number, slot }) => slot > slotOf(this.accepted.get(number)?.atMs ?? Infinity))
      .length;
  }

  readonly #told = (one: Written) => {
    return { ...one, slot: slotOf(one.atMs), ...this.#logs.get(one.log) };
  };

  /** It has to count in the slot of its own time. */
  #isExact({ log, atMs }: Written, patienceMs: number): boolean {
    const one = this.#logs.get(log);
    if (!one?.isRight) return false;
    return this.#isKnownInTime(one, atMs) && this.#silentMs(one) < patienceMs;
  }

  /** Before its slot could be closed: while that lasted, or in the calm after the ledger was away. */
  #isKnownInTime({ bornMs, namedMs: [firstMs = Infinity] }: Log, atMs: number): boolean {
    if (slotOf(firstMs) <= slotOf(atMs)) return true;
    return this.away.some(
      ([from, to]) =>
        to - from > AWAY_MS + SLACK_MS &&
        bornMs > from + SLACK_MS &&
        bornMs < to &&
        firstMs < to + CALM_MS - SLACK_MS,
    );
  }

  /**
   * The longest that settlement can have missed it for. A turn counts whole also where its lease lapsed in the middle of it, and the one after the
   * ledger was away is as long as any.
   */
  #silentMs({ namedMs }: Log): number {
    const missed = namedMs.map((fromMs, i) => {
      const toMs = namedMs[i + 1] ?? fromMs;
      const away = this.away.filter(([from, to]) => from < toMs && to > fromMs);
      const lengths = away.map(([from, to]) => Math.min(to, toMs) - Math.max(from, fromMs) - SLACK_MS);
      const uncounted = lengths.reduce((sum, ms) => sum + Math.max(0, ms - LONGEST_TURN_MS), 0);
      return toMs - fromMs - uncounted - (away.length > 0 ? 0 : LEASE_MS - TURN_MS);
    });
    return Math.max(0, ...missed) + SLACK_MS;
  }
}

const slotOf = (ms: number): number => Math.floor(ms / SLOT_MS);
