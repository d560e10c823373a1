/**
 * Shares on disk before a rig hears `true`. What comes while one write and sync runs is the group of the next:
 *
 *     append, append … -> a group -> one write, one fdatasync -> `true` for all of it
 *
 * A group that the disk does not take is refused as a whole and cut off, and until that has worked nobody is answered: so what was refused is never
 * in the books.
 * Of what others cannot be read without (heads of segments, names, cuts) there are two copies, so that a damaged record costs
 * itself alone.
 *
 * Solutions go before all else, into room that is kept for them. What the disk does not take even so stays in memory, and is tried each second.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ShareWaiter, SolutionWord } from '../../bridge/ports.js';
import type { Log } from '../../core/names/log.js';
import type { Share } from '../../core/shares/share.js';
import { syncFolder } from '../../files/sync-folder.js';
import { Group, NameTable } from './group.js';
import { fullSegmentBytes, ShareLogError, type ShareLogLimits } from './limits.js';
import { type Cut, FORMAT_VERSION, type Position, RecordWriter, writeTwice } from './records.js';
import { SegmentFile } from './segment-file.js';
import { removeSegment, type Segment } from './segments.js';
import type { OpenSolutions } from './solutions.js';
import { WaitingWords } from './waiting-words.js';

interface ShareLogOptions {
  readonly folder: string;
  readonly logId: string;
  readonly log: Log;
  readonly limits: ShareLogLimits;
  /** Segments of earlier starts that are not shipped yet. */
  readonly formerBytes: number;
  readonly open: OpenSolutions;
  readonly nowMs?: () => number;
}

interface CutWanted {
  readonly ends: boolean;
  resolve(cut: Cut): void;
  reject(error: Error): void;
}

const FIRST_BYTES = 64 * 2 ** 10;
const RETRY_MS = 250;
const NOTHING: Position = { segment: 1, offset: 0 };

export class DiskLog {
  readonly id: string;
  /** Oldest first; the last is written to. */
  readonly segments: Segment[] = [];
  readonly #options: ShareLogOptions;
  readonly #nowMs: () => number;
  #file: SegmentFile | undefined;
  #lastNumber = 0;
  #gathering = new Group(new NameTable(), new RecordWriter(FIRST_BYTES));
  #spare = new RecordWriter(FIRST_BYTES);
  readonly #before = new RecordWriter(FIRST_BYTES);
  readonly #after = new RecordWriter(FIRST_BYTES);
  #running: Promise<void> | undefined;
  #cutWanted: CutWanted | undefined;
  readonly #words: WaitingWords;
  /** Written since the last cut. */
  #uncutWords = 0;
  #lastCut: Cut | undefined;
  #watermarkMs = 0;
  /** Of a share or a solution. */
  #latestMs = 0;
  /** Acknowledged by this log. */
  #shares = 0;
  #work = 0n;
  #bytes: number;
  /** Why nothing is taken now. */
  #refusal: ShareLogError | undefined;
  #isClosing = false;
  /** The disk keeps what was never acknowledged: nothing may come after it. */
  #isUnsure = false;
  #isTold = false;

  constructor(options: ShareLogOptions) {
    this.#options = options;
    this.id = options.logId;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#bytes = options.formerBytes;
    this.#words = new WaitingWords({ ...options, onDue: () => this.#start() });
  }

  /** Makes the first segment. Where the disk takes none now, the first share makes it. */
  async begin(): Promise<void> {
    await this.#beginSegment(this.#gathering.table);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Acknowledged by this log. */
  get shares(): number {
    return this.#shares;
  }

  /** The latest time that a record carries. */
  get latestMs(): number {
    return Math.max(this.#watermarkMs, this.#latestMs);
  }

  get lastCut(): Cut | undefined {
    return this.#lastCut;
  }

  /** Solutions that stand behind the last cut. */
  get hasUncutSolutions(): boolean {
    return this.#uncutWords > 0;
  }

  /** Solutions that the disk does not take: they are in memory alone. */
  get unkeptSolutions(): number {
    return this.#words.unkept;
  }

  get bytesSinceCut(): number {
    const { segment, offset } = this.#lastCut?.to ?? NOTHING;
    return this.segments.reduce((sum, { number, bytes }) => sum + (number < segment ? 0 : bytes), -offset);
  }

  /**
   * The waiter is told when the share is on the disk, or by a {@link ShareLogError} when it is not, and never will be.
   * @param reached the difficulty that its hash would meet.
   */
  append(share: Share, reached: number, waiter: ShareWaiter): void {
    const refusal = this.#refusal ?? this.#full();
    if (refusal) {
      queueMicrotask(() => waiter.lost(refusal));
      return;
    }
    const acceptedAtMs = Math.max(share.acceptedAtMs, this.#watermarkMs);
    this.#latestMs = Math.max(this.#latestMs, acceptedAtMs);
    this.#gathering.add(share, acceptedAtMs, reached, waiter);
    this.#start();
  }

  /** Resolves when it is on the disk, rejects where the bridge ends before that. One that was found counts as of the last cut at the earliest. */
  solution(word: SolutionWord): Promise<void> {
    if (this.#isClosing || this.#hasEnded)
      return Promise.reject(new ShareLogError('closed', 'the share log is closed'));
    const { solution } = word;
    const foundAtMs = Math.max(solution.foundAtMs, this.#watermarkMs);
    if (word.state === 'found') this.#latestMs = Math.max(this.#latestMs, foundAtMs);
    return this.#words.add(word.state === 'found' ? { ...word, solution: { ...solution, foundAtMs } } : word);
  }

  /** One at a time. Resolves when it is on the disk, with all that was appended before. */
  cut(ends = false): Promise<Cut> {
    if (this.#isClosing) return Promise.reject(new ShareLogError('closed', 'the share log is closed'));
    return new Promise((resolve, reject) => {
      this.#cutWanted = { ends, resolve, reject };
      // What waits goes before it.
      if (ends) this.#words.tryNow();
      this.#start();
    });
  }

  /** So many bytes are booked, and do not count any more. */
  booked(bytes: number): void {
    this.#bytes -= bytes;
  }

  async remove(segment: Segment): Promise<void> {
    await removeSegment(segment);
    this.segments.splice(this.segments.indexOf(segment), 1);
    await syncFolder(this.#options.folder).catch(() => {}); // one that is back is read again
  }

  /** Takes no further share; what was taken is on the disk when it resolves. */
  async close(): Promise<void> {
    this.refuse();
    this.#isClosing = true;
    await this.#running;
    this.#words.tryNow();
    await this.#running;
    this.#words.close();
    await this.#file?.close();
  }

  /** Takes no further share. */
  refuse(): void {
    this.#refusal = new ShareLogError('closed', 'the bridge is stopping');
  }

  #start(): void {
    this.#running ??= new Promise((begin) => setImmediate(begin))
      .then(() => this.#run())
      .finally(() => {
        this.#running = undefined;
        if (this.#isWanted) this.#start();
      });
  }

  #full(): ShareLogError | undefined {
    const { records, shares } = this.#gathering;
    const { groupBytes, totalBytes } = this.#options.limits;
    if (records.length >= groupBytes)
      return new ShareLogError('busy', `${shares} shares wait for the disk already`);
    if (this.#bytes + records.length < totalBytes) return undefined;
    const words = `the share log in ${this.#options.folder} holds all it may, ${totalBytes} bytes`;
    return this.#told(new ShareLogError('log-full', words));
  }

  get #isWanted(): boolean {
    return this.#isGroupWanted || this.#areWordsWanted;
  }

  /** Nothing comes behind the cut that ends a log. */
  get #areWordsWanted(): boolean {
    return this.#words.areDue && !this.#hasEnded;
  }

  get #hasEnded(): boolean {
    return this.#lastCut?.ends === true;
  }

  get #isGroupWanted(): boolean {
    return this.#gathering.shares > 0 || this.#cutWanted !== undefined;
  }

  /** Never rejects: whoever waits is told. */
  async #run(): Promise<void> {
    while (this.#isWanted) {
      if (this.#areWordsWanted) await this.#writeWords();
      if (!this.#isGroupWanted) continue;
      const cutWanted = this.#cutWanted;
      this.#cutWanted = undefined;
      const group = this.#take(cutWanted !== undefined);
      try {
        const cut = await this.#write(group, cutWanted?.ends ?? false);
        this.#isTold = false;
        // The next write is begun before thousands of rigs are answered.
        queueMicrotask(() => group.kept());
        cutWanted?.resolve(cut ?? failed('no cut was written'));
      } catch (error) {
        const refusal = await this.#undo(error as Error, group);
        group.lost(refusal);
        cutWanted?.reject(refusal);
      }
      this.#spare = group.records;
    }
  }

  /** All that wait, or none. */
  async #writeWords(): Promise<void> {
    const words = this.#words.take();
    try {
      if (this.#isUnsure) failed('it failed before, and the bridge is stopping');
      if (!this.#file) await this.#beginSegment(this.#gathering.table);
      const file = this.#file ?? failed('no segment is open');
      this.#after.clear();
      for (const text of this.#words.textsOf(words)) writeTwice(() => this.#after.solution(text));
      await file.write([this.#after.written], true);
      this.#bytes += this.#after.length;
      this.#uncutWords += words.length;
      this.#words.wrote(words, file.segment.number);
    } catch (error) {
      this.#words.putBack(words, error as Error);
      await this.#isCutOff();
    }
  }

  /** What was gathered, and with a cut, all that was appended up to now. The next group may be of a new segment. */
  #take(withCut: boolean): Group {
    const group = this.#gathering;
    if (withCut) {
      this.#watermarkMs = Math.max(this.#watermarkMs, this.#nowMs());
      group.cutAtMs = this.#watermarkMs;
    }
    const bytes = this.#file?.table === group.table ? this.#file.segment.bytes : 0;
    const isFull = bytes + group.records.length >= fullSegmentBytes(this.#options.limits, group.table.bytes);
    this.#gathering = new Group(isFull ? new NameTable() : group.table, this.#spare);
    return group;
  }

  async #write(group: Group, ends: boolean): Promise<Cut | undefined> {
    if (this.#isUnsure) failed('it failed before, and the bridge is stopping');
    if (this.#file?.table !== group.table) await this.#beginSegment(group.table);
    const file = this.#file ?? failed('no segment is open');
    const [before, after] = [this.#before, this.#after];
    before.clear();
    after.clear();
    this.#writeNames(group, before);
    this.#writeNames(group, after);
    const { segment } = file;
    const offset = segment.bytes + before.length + group.records.length + after.length;
    const cut = this.#cutOf(group, ends, { segment: segment.number, offset });
    if (cut) writeTwice(() => after.cut(cut));
    await file.write(
      [before.written, group.records.written, after.written].filter(({ length }) => length > 0),
    );
    this.#bytes += before.length + group.records.length + after.length;
    this.#shares += group.shares;
    this.#work += group.work;
    if (cut) {
      this.#lastCut = cut;
      this.#uncutWords = 0;
    }
    return cut;
  }

  #writeNames({ newNames, table }: Group, to: RecordWriter): void {
    for (const index of newNames) {
      const { account, rig } = table.names[index] ?? failed('a name has a number and no text');
      to.name(index, account, rig);
    }
  }

  #cutOf(group: Group, ends: boolean, to: Position): Cut | undefined {
    if (group.cutAtMs === undefined) return undefined;
    const { number, to: from } = this.#lastCut ?? { number: 0, to: NOTHING };
    const [shares, work] = [this.#shares + group.shares, this.#work + group.work];
    const before = this.#lastCut ?? { shares: 0, work: 0n };
    const own = { ownShares: shares - before.shares, ownWork: work - before.work };
    return { number: number + 1, watermarkMs: group.cutAtMs, ...own, shares, work, ends, from, to };
  }

  /** On the disk with its head, or not begun. */
  async #beginSegment(table: NameTable): Promise<void> {
    const { logId, limits } = this.#options;
    const former = this.#file;
    const number = ++this.#lastNumber;
    const options = { ...this.#options, stepBytes: limits.stepBytes };
    const file = await SegmentFile.create(options, number, table);
    const head = new RecordWriter(512);
    writeTwice(() => head.segment({ version: FORMAT_VERSION, log: logId, number }));
    const lastCut = this.#lastCut;
    if (lastCut) writeTwice(() => head.cut(lastCut));
    try {
      await file.write([head.written]);
    } catch (error) {
      await file.discard();
      throw error;
    }
    this.#bytes += head.length;
    this.segments.push(file.segment);
    this.#file = file;
    await former?.close();
  }

  /** Resolves with what is told to the rigs once it is sure that nothing of the group counts, now or after a crash. */
  async #undo(error: Error, group: Group): Promise<ShareLogError> {
    const refusal = this.#told(this.#brokenBy(error));
    this.#refusal ??= refusal;
    if (!(await this.#isCutOff()))
      return new ShareLogError('closed', 'the bridge is stopping, and the disk keeps what it failed with');
    if (this.#refusal === refusal) this.#refusal = undefined;
    this.#leaveTable(group.table, refusal);
    if (this.#gathering.table === group.table)
      this.#gathering.newNames = [...group.newNames, ...this.#gathering.newNames];
    return refusal;
  }

  #brokenBy(error: Error): ShareLogError {
    const words = `the share log in ${this.#options.folder} cannot be written: ${error.message}`;
    return new ShareLogError('log-broken', words, { cause: error });
  }

  /** Until nothing is left of what failed. False where the bridge is stopping first. */
  async #isCutOff(): Promise<boolean> {
    while (!this.#isUnsure && this.#file && !(await this.#file.cutOff())) {
      this.#isUnsure = this.#isClosing;
      if (this.#isClosing) return false;
      await pause(RETRY_MS);
    }
    return true;
  }

  /**
   * Where the segment of these names is no more, those that came meanwhile wait for nothing. It may have names that a refused group brought, and
   * that stand nowhere on the disk: the next share begins a segment with names of its own.
   */
  #leaveTable(table: NameTable, refusal: ShareLogError): void {
    if (!this.#file || this.#file.table === table || this.#gathering.table !== table) return;
    this.#gathering.lost(refusal);
    this.#gathering = new Group(new NameTable(), this.#gathering.records);
  }

  /** Once until it works again. */
  #told(error: ShareLogError): ShareLogError {
    if (!this.#isTold)
      this.#options.log.error({ error: error.message }, 'shares are refused: they cannot be kept');
    this.#isTold = true;
    return error;
  }
}

function failed(words: string): never {
  throw new Error(words);
}
