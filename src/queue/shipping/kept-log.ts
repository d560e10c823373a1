/** The entries of one log: what of them the queue and the ledger have, and which segments are still needed. */
import type { EntryRange, LogLedger, ShareEntry, SolutionWord, WorkSum } from '../../bridge/ports.js';
import type { Log } from '../../core/names/log.js';
import type { LogReader } from '../log/reading.js';
import type { Cut } from '../log/records.js';
import type { Segment } from '../log/segments.js';
import { keyOf, type OpenSolutions } from '../log/solutions.js';
import { ShareSums } from './sums.js';

interface KeptLogOptions {
  readonly id: string;
  /** As they are at any time, oldest first. */
  readonly segments: readonly Segment[];
  readonly remove: (segment: Segment) => Promise<void>;
  /** So many bytes of the log turned booked; negative: they are not any more. */
  readonly onBooked: (bytes: number) => void;
  readonly open: OpenSolutions;
  readonly reader: LogReader;
  readonly log: Log;
}

interface Entry {
  readonly cut: Cut;
  state: 'waiting' | 'shipped' | 'booked';
  /** When it was shipped last, on a rising clock, and how often. */
  shippedAtMs: number;
  shippings: number;
}

/** What reading the ledger has found. */
interface Found {
  /** Entries that were booked and are no more, or were shipped and are not booked for too long. */
  readonly again: number;
  /** Numbers that the ledger does not have, and of which nothing is here any more. */
  readonly gone: readonly EntryRange[];
}

/** Gaps that are asked for at a time. */
const GAPS = 1_000;

export class KeptLog {
  readonly #options: KeptLogOptions;
  /** By number, the lowest first: all whose segments are there. */
  readonly #entries = new Map<number, Entry>();
  /** Lowest first: the queue has taken none of these for sure. */
  #waiting: Cut[] = [];
  /** It had these once, and is given them again. */
  #again: Cut[] = [];
  /** Segments that hold nothing that is not booked, and since when. */
  readonly #booked = new Map<Segment, number>();
  #last: Cut | undefined;

  constructor(options: KeptLogOptions, cuts: readonly Cut[] = []) {
    this.#options = options;
    for (const cut of cuts) this.add(cut);
  }

  get id(): string {
    return this.#options.id;
  }

  add(cut: Cut): void {
    this.#entries.set(cut.number, { cut, state: 'waiting', shippedAtMs: 0, shippings: 0 });
    this.#waiting.push(cut);
    this.#last = cut;
  }

  get next(): Cut | undefined {
    return this.#again[0] ?? this.#waiting[0];
  }

  get waitingShares(): number {
    return this.#waiting.reduce((sum, { ownShares }) => sum + ownShares, 0);
  }

  /** When the oldest share that waits was accepted, within the second that its entry covers; ms since the epoch. */
  get waitsSinceMs(): number | undefined {
    return this.#waiting.find(({ ownShares }) => ownShares > 0)?.watermarkMs;
  }

  /** A later start knows of it. */
  get isOnDisk(): boolean {
    return this.#options.segments.length > 0;
  }

  get isBooked(): boolean {
    return [...this.#entries.values()].every(({ state }) => state === 'booked');
  }

  /** Of a log that has ended: nothing of it is here any more. */
  get isGone(): boolean {
    return this.isBooked && this.#options.segments.length === 0;
  }

  /** Segments that hold nothing that is not booked, and since when. */
  get bookedSegments(): ReadonlyMap<Segment, number> {
    return this.#booked;
  }

  /** It was given to the queue before. */
  isAgain({ number }: Cut): boolean {
    return (this.#entries.get(number)?.shippings ?? 0) > 0;
  }

  async entryOf(cut: Cut, rejections: readonly WorkSum[]): Promise<ShareEntry> {
    const { id, segments, reader, log } = this.#options;
    const sums = new ShareSums();
    let shares = 0;
    // Each is there twice.
    const solutions = new Map<string, SolutionWord>();
    const lostBytes = await reader.read(segments, cut.from, cut.to, {
      share: (name, share) => {
        sums.add(name, share);
        shares++;
      },
      solution: (word) => solutions.set(`${keyOf(word.solution)} ${word.state}`, word),
    });
    const words = 'acknowledged shares are lost: somebody removed or damaged their segment of the share log';
    if (shares < cut.ownShares)
      log.error({ entry: cut.number, shares: cut.ownShares - shares, bytes: lostBytes }, words);
    return {
      id: { log: id, number: cut.number },
      watermarkMs: cut.watermarkMs,
      ends: cut.ends,
      total: { shares: cut.shares, work: cut.work },
      sums: [...sums.sums, ...rejections],
      solutions: [...solutions.values()],
    };
  }

  shipped({ number }: Cut, atMs: number): void {
    const others = (cut: Cut): boolean => cut.number !== number;
    if (this.#again[0]?.number === number) this.#again.shift();
    else
      this.#waiting =
        this.#waiting[0]?.number === number ? this.#waiting.slice(1) : this.#waiting.filter(others);
    const entry = this.#entries.get(number);
    // It may have turned out to be booked meanwhile.
    if (entry?.state !== 'waiting') return;
    entry.state = 'shipped';
    entry.shippedAtMs = atMs;
    entry.shippings++;
  }

  /**
   * Reads what is booked by now, also of what waits: an earlier start may have shipped it.
   *
   * @param againMs what was shipped so long ago and is not booked is shipped again; twice as long after each time.
   */
  async read(ledger: LogLedger, againMs: number, nowMs: number): Promise<Found> {
    const last = this.#last?.number;
    if (last === undefined) return { again: 0, gone: [] };
    const missing = await ledger.missingEntries(this.id, last, GAPS);
    const known = missing.length < GAPS ? last : (missing.at(-1)?.last ?? last);
    const isMissing = membership(missing);
    const entries = [...this.#entries.values()].filter(({ cut }) => cut.number <= known);
    const taken = entries.filter(({ state, cut }) => state !== 'booked' && !isMissing(cut.number));
    await this.#book(taken, ledger);
    const isAgain = ({ state, cut, shippedAtMs, shippings }: Entry): boolean =>
      isMissing(cut.number) &&
      (state === 'booked' || (state === 'shipped' && nowMs - shippedAtMs >= againMs * 2 ** (shippings - 1)));
    const again = entries.filter(isAgain);
    for (const entry of again) entry.state = 'waiting';
    this.#again = [...this.#again, ...again.map(({ cut }) => cut)].sort((a, b) => a.number - b.number);
    this.#lookAtSegments(nowMs);
    return { again: again.length, gone: this.#goneOf(missing) };
  }

  /** One of which another is booked is not: its segment stays. */
  async #book(taken: readonly Entry[], ledger: LogLedger): Promise<void> {
    if (taken.length === 0) return;
    const cuts = taken.map(({ cut }) => cut);
    const conflicting = new Set(await ledger.conflictingEntries(this.id, cuts));
    for (const entry of taken) if (!conflicting.has(entry.cut.number)) entry.state = 'booked';
    const waits = ({ number }: Cut): boolean => this.#entries.get(number)?.state === 'waiting';
    this.#again = this.#again.filter(waits);
    this.#waiting = this.#waiting.filter(waits);
  }

  /** What nobody will ask for any more. */
  async remove(segments: readonly Segment[]): Promise<void> {
    for (const segment of segments) {
      await this.#options.remove(segment);
      this.#booked.delete(segment);
    }
    const first = this.#options.segments[0]?.number ?? Infinity;
    for (const [number, { cut }] of this.#entries) if (cut.to.segment < first) this.#entries.delete(number);
  }

  /** Of these gaps, lowest first, what is no entry that is here. */
  #goneOf(gaps: readonly EntryRange[]): EntryRange[] {
    const gone: EntryRange[] = [];
    const here = [...this.#entries.keys()];
    let at = 0;
    for (const gap of gaps) {
      let { first } = gap;
      for (; at < here.length; at++) {
        const number = here[at] ?? first;
        if (number > gap.last) break;
        if (number > first) gone.push({ first, last: number - 1 });
        first = Math.max(first, number + 1);
      }
      if (first <= gap.last) gone.push({ first, last: gap.last });
    }
    return gone;
  }

  #lookAtSegments(nowMs: number): void {
    const { segments, open, id, onBooked } = this.#options;
    const cuts = [...this.#entries.values()].flatMap(({ state, cut }) => (state === 'booked' ? [] : cut));
    const isNeededFor = ({ handle, number }: Segment): boolean =>
      handle !== undefined ||
      open.holds(id, number) ||
      cuts.some(({ from, to }) => from.segment <= number && number <= to.segment);
    const needed = new Set(segments.filter(isNeededFor));
    // Where a log ended is known from its last segment, which goes last.
    const end = this.#last?.ends && needed.size === 0 ? Infinity : (this.#last?.to.segment ?? 1);
    for (const segment of segments) {
      const { number, bytes } = segment;
      const isNeeded = needed.has(segment) || number >= end;
      if (isNeeded && this.#booked.delete(segment)) onBooked(-bytes);
      if (isNeeded || this.#booked.has(segment)) continue;
      this.#booked.set(segment, nowMs);
      onBooked(bytes);
    }
  }
}

/** Whether a number is in one of these, which are in their order. */
function membership(ranges: readonly EntryRange[]): (number: number) => boolean {
  return (number) => {
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle]?.last ?? number) < number) low = middle + 1;
      else high = middle;
    }
    return (ranges[low]?.first ?? Infinity) <= number;
  };
}
