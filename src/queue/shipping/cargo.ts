/** The entries of one log on their way from its log to the books, and what of the log can go. */
import type { EntryGaps, EntryId, ShareEntry, SolutionWord, WorkSum } from '../../bridge/ports.js';
import type { Log } from '../../core/names/log.js';
import { readLog } from '../log/reading.js';
import type { Cut } from '../log/records.js';
import type { Segment } from '../log/segments.js';
import { keyOf, type OpenSolutions } from '../log/solutions.js';
import { ShareSums } from './sums.js';

interface CargoOptions {
  readonly id: string;
  /** As they are at any time, oldest first. */
  readonly segments: readonly Segment[];
  /** The ledger has all of these. */
  readonly drop: (segments: readonly Segment[]) => Promise<void>;
  readonly open: OpenSolutions;
  readonly log: Log;
}

interface Sent {
  readonly cut: Cut;
  /** On a rising clock. */
  atMs: number;
}

/** Numbers that are asked for at a time. */
const ASKED = 200;

export class Cargo {
  readonly #options: CargoOptions;
  /** Lowest first: the queue has taken none of these for sure. */
  readonly #waiting: Cut[] = [];
  /** The queue has them, and the ledger not yet as far as is known. */
  readonly #sent = new Map<number, Sent>();
  #last: Cut | undefined;

  constructor(options: CargoOptions, cuts: readonly Cut[] = []) {
    this.#options = options;
    for (const cut of cuts) this.add(cut);
  }

  get id(): string {
    return this.#options.id;
  }

  add(cut: Cut): void {
    this.#waiting.push(cut);
    this.#last = cut;
  }

  get next(): Cut | undefined {
    return this.#waiting[0];
  }

  get waitingShares(): number {
    return this.#waiting.reduce((sum, { count }) => sum + count, 0);
  }

  /** When the oldest share that waits was accepted, within the second that its entry covers; ms since the epoch. */
  get waitsSinceMs(): number | undefined {
    return this.#waiting.find(({ count }) => count > 0)?.watermarkMs;
  }

  /** Of a log that has ended: nothing of it is needed any more. */
  get isDone(): boolean {
    return this.#isBooked && this.#options.segments.length === 0;
  }

  get #isBooked(): boolean {
    return this.#waiting.length === 0 && this.#sent.size === 0;
  }

  async entryOf(cut: Cut, rejections: readonly WorkSum[]): Promise<ShareEntry> {
    const { id, segments, log } = this.#options;
    const sums = new ShareSums();
    let shares = 0;
    // Each is there twice.
    const solutions = new Map<string, SolutionWord>();
    const lostBytes = await readLog(segments, cut.from, cut.to, {
      share: (name, share) => {
        sums.add(name, share);
        shares++;
      },
      solution: (word) => solutions.set(`${keyOf(word.solution)} ${word.state}`, word),
    });
    const words = 'acknowledged shares are lost: somebody removed or damaged their segment of the share log';
    if (shares < cut.count)
      log.error({ entry: cut.number, shares: cut.count - shares, bytes: lostBytes }, words);
    return {
      id: { log: id, number: cut.number },
      watermarkMs: cut.watermarkMs,
      ends: cut.ends,
      total: { shares: cut.shares, work: cut.work },
      sums: [...sums.sums, ...rejections],
      solutions: [...solutions.values()],
    };
  }

  sent(cut: Cut, atMs: number): void {
    const at = this.#waiting.indexOf(cut);
    // It may have turned out to be booked meanwhile.
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    this.#sent.set(cut.number, { cut, atMs });
  }

  /** Asks what is booked by now, also of what waits: an earlier start may have sent it. Segments that nobody needs go. */
  async settle(ledger: EntryGaps): Promise<void> {
    const asked = [...this.#waiting.map(({ number }) => number), ...this.#sent.keys()];
    if (asked.length > 0) {
      const [first, last] = [Math.min(...asked), Math.max(...asked)];
      const missing = await ledger.missingEntries(this.#options.id, first, last, ASKED);
      const known = missing.length < ASKED ? last : (missing.at(-1) ?? last);
      const unbooked = new Set(missing);
      const conflicting = await this.#conflicting(
        ledger,
        (number) => number <= known && !unbooked.has(number),
      );
      const isBooked = (number: number): boolean =>
        number <= known && !unbooked.has(number) && !conflicting.has(number);
      for (const number of asked) if (isBooked(number)) this.#sent.delete(number);
      const left = this.#waiting.filter(({ number }) => !isBooked(number));
      this.#waiting.splice(0, this.#waiting.length, ...left);
    }
    await this.#dropSegments();
  }

  /** Another entry is booked under their number: they are not, and their segments stay. */
  async #conflicting(ledger: EntryGaps, isTaken: (number: number) => boolean): Promise<ReadonlySet<number>> {
    const cuts = [...this.#waiting, ...Array.from(this.#sent.values(), ({ cut }) => cut)];
    const taken = cuts.filter(({ number }) => isTaken(number));
    return new Set(taken.length === 0 ? [] : await ledger.conflictingEntries(this.#options.id, taken));
  }

  /** Of what was sent before that time and is not booked, what the queue does not hold any more waits again. Resolves with how much. */
  async bringAgain(
    beforeMs: number,
    ledger: EntryGaps,
    absent: (ids: readonly EntryId[]) => Promise<EntryId[]>,
  ): Promise<number> {
    const { id: log } = this.#options;
    const old = [...this.#sent.values()].flatMap(({ cut, atMs }) => (atMs < beforeMs ? cut.number : []));
    const gone: EntryId[] = [];
    for (let i = 0; i < old.length; i += ASKED)
      gone.push(...(await absent(old.slice(i, i + ASKED).map((number) => ({ log, number })))));
    // Some may have been booked, and so taken off the queue, between the two questions.
    if (gone.length > 0) await this.settle(ledger);
    const lost = gone.flatMap(({ number }) => this.#sent.get(number)?.cut ?? []);
    for (const { number } of lost) this.#sent.delete(number);
    this.#waiting.unshift(...lost);
    return lost.length;
  }

  async #dropSegments(): Promise<void> {
    const { segments, drop, open, id } = this.#options;
    const needed = [...this.#waiting, ...Array.from(this.#sent.values(), ({ cut }) => cut)];
    const end = this.#last?.ends && this.#isBooked ? Infinity : (this.#last?.to.segment ?? 1);
    const isNeeded = ({ number }: Segment): boolean =>
      number >= end ||
      open.holds(id, number) ||
      needed.some(({ from, to }) => from.segment <= number && number <= to.segment);
    const done = segments.filter((segment) => segment.handle === undefined && !isNeeded(segment));
    if (done.length > 0) await drop(done);
  }
}
