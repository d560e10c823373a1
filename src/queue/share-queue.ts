/**
 * The way of a share to the books, as the bridge sees it: onto the disk (`log/`), and from there, summed, into BullMQ
 * (`shipping/`). Who appends is told when the share is on the disk, or, with `durability: 'queue'`, when the queue has it too. Solutions go the
 * same way.
 */
import { join } from 'node:path';
import type {
  LogLedger,
  ShareLog,
  ShareWaiter,
  SolutionLog,
  SolutionRecord,
  SolutionState,
  SolutionWord,
} from '../bridge/ports.js';
import type { Log } from '../core/names/log.js';
import type { Share, Solution } from '../core/shares/share.js';
import { difficultyOf } from '../core/work/target.js';
import type { QueueConnection } from './bullmq/connection.js';
import { type EntryAdder, EntryQueue } from './bullmq/entry-queue.js';
import { SHARE_LOG_LIMITS, ShareLogError, type ShareLogLimits } from './log/limits.js';
import { openPrivateFolder } from './log/private-folder.js';
import { LogReader } from './log/reading.js';
import { type FormerLog, readFormerLogs } from './log/recovery.js';
import { removeSegment, type Segment } from './log/segments.js';
import { DiskLog } from './log/share-log.js';
import { keyOf, OpenSolutions } from './log/solutions.js';
import { KeptLog } from './shipping/kept-log.js';
import { KEPT_LOGS_LIMITS, KeptLogs, type KeptLogsLimits } from './shipping/kept-logs.js';
import { type FreshLog, OwnLog } from './shipping/own-log.js';
import { type RejectedSubmit, RejectionCounts } from './shipping/rejection-counts.js';
import { SHIPPER_LIMITS, Shipper, type ShipperLimits } from './shipping/shipper.js';

export interface ShareQueueLimits extends ShareLogLimits, ShipperLimits, KeptLogsLimits {
  /** Patience with one add. */
  readonly addTimeoutMs: number;
}

export const SHARE_QUEUE_LIMITS: ShareQueueLimits = {
  ...SHARE_LOG_LIMITS,
  ...SHIPPER_LIMITS,
  ...KEPT_LOGS_LIMITS,
  addTimeoutMs: 2000,
};

export interface ShareQueueOptions {
  readonly connection: QueueConnection;
  /** The log lies in `shares` of it; the caller holds its lock. */
  readonly folder: string;
  /** Which entries are booked: only then the log forgets them. */
  readonly ledger: LogLedger;
  /** For people: host and data directory. */
  readonly place: string;
  readonly log: Log;
  /** A random UUID (`crypto.randomUUID`): names a log among all logs of all bridges. */
  readonly newLogId: () => string;
  readonly durability?: 'disk' | 'queue';
  /** The time that shares count by; that of the system by default. */
  readonly nowMs?: () => number;
  /** It is the ledger's already, as it is by default: else a new log begins once that has answered. */
  readonly isTimeKnown?: boolean;
  readonly limits?: ShareQueueLimits;
  /** Instead of BullMQ. */
  readonly queue?: EntryAdder;
}

export interface ShareQueueStats {
  readonly backend: 'postgres' | 'redis';
  /** The backend answered just now. */
  readonly isUp: boolean;
  /** Entries that BullMQ holds and no recorder has booked yet; the last known number while its backend is away. */
  readonly waiting: number;
  /** Entries that could not be read or booked. They are kept for people to look at. */
  readonly failed: number;
  /** Shares in the share log while the queue takes none; 0 while it takes what it is given. */
  readonly heldBack: number;
  /** Acknowledged shares that are not shipped yet. While all is well, those of the last second. */
  readonly unshipped: number;
  /** Age of the oldest of them, to within a second or so; 0 while there is none. */
  readonly oldestMs: number;
  /** Of the share log on disk: what is not shipped, and what is not known to be booked. */
  readonly logBytes: number;
  /** Solutions that the disk does not take: they are in memory alone. */
  readonly unkeptSolutions: number;
}

const CLOSE_TIMEOUT_MS = 6_000;
/** Shares that wait for the queue where that is asked for; beyond, further ones are refused. */
const MAX_WAITING = 100_000;

/** Reads what earlier starts left. A backend that is away is connected to later. */
export async function openShareQueue(options: ShareQueueOptions): Promise<ShareQueue> {
  const folder = join(options.folder, 'shares');
  await openPrivateFolder(folder);
  const queue = new ShareQueue(options, folder, await readFormerLogs(folder, options.log));
  await queue.start();
  return queue;
}

export class ShareQueue implements ShareLog, SolutionLog {
  readonly #options: ShareQueueOptions;
  readonly #queue: EntryAdder;
  readonly #own: OwnLog;
  readonly #logs: KeptLogs;
  readonly #shipper: Shipper;
  readonly #rejections = new RejectionCounts();
  readonly #open = new OpenSolutions();
  /** What earlier starts left in the log. */
  readonly earlierSolutions: readonly SolutionWord[];
  #lastCounts = { waiting: 0, failed: 0 };
  constructor(options: ShareQueueOptions, folder: string, former: readonly FormerLog[]) {
    const { connection, log, limits = SHARE_QUEUE_LIMITS, nowMs = Date.now, isTimeKnown = true } = options;
    this.#options = options;
    this.#queue = options.queue ?? new EntryQueue(connection, log, limits.addTimeoutMs);
    const open = this.#open;
    this.earlierSolutions = lastWords(former, open);
    const onBooked = (bytes: number): void => this.#own.disk.booked(bytes);
    const kept = { open, reader: new LogReader(), log, onBooked };
    const make = (formerBytes: number): FreshLog => {
      const logId = options.newLogId();
      const disk = new DiskLog({ folder, logId, log, limits, formerBytes, open, nowMs });
      const { segments } = disk;
      return { disk, kept: new KeptLog({ ...kept, id: logId, segments, remove: (one) => disk.remove(one) }) };
    };
    const all = former.flatMap(({ segments }) => segments);
    const first = make(all.reduce((sum, { bytes }) => sum + bytes, 0));
    this.#logs = new KeptLogs({
      ...{ folder, own: first.kept, log, limits, ledger: options.ledger, place: options.place },
      former: former.map(
        ({ id, segments, cuts }) => new KeptLog({ ...kept, id, segments, remove: removerOf(segments) }, cuts),
      ),
    });
    this.#own = new OwnLog({ first, make, logs: this.#logs, nowMs, isTimeKnown, log });
    this.#shipper = new Shipper({
      ...{ own: this.#own, logs: this.#logs, queue: this.#queue, rejections: this.#rejections, log, limits },
    });
  }

  /** Names the log that is written to now. */
  get logId(): string {
    return this.#own.disk.id;
  }

  /** All that earlier starts left is in the books, as far as the ledger was asked. */
  get isFormerBooked(): boolean {
    return this.#logs.isFormerBooked;
  }

  /** Resolves once the ledger knows of all logs here: nothing is split without their shares from then on. */
  get announced(): Promise<void> {
    return this.#logs.announced;
  }

  /** Resolves when another ledger answers than that for which the logs here were written: nothing is shipped then. */
  get refused(): Promise<Error> {
    return this.#logs.refused;
  }

  /** A disk that takes nothing now may take something later: shares are refused until it does. */
  async start(): Promise<void> {
    await this.#own.disk.begin().catch((error: Error) => {
      const words = 'the share log cannot be written: shares are refused until it can';
      this.#options.log.error({ error: error.message }, words);
    });
    this.#logs.start();
    this.#shipper.start();
  }

  append(share: Share, reached: number, waiter: ShareWaiter): void {
    if (this.#options.durability !== 'queue') this.#own.disk.append(share, reached, waiter);
    else if (this.#shipper.waiting < MAX_WAITING)
      this.#own.disk.append(share, reached, this.#inQueueToo(waiter));
    else {
      const busy = new ShareLogError('busy', `${MAX_WAITING} shares wait for the queue already`);
      queueMicrotask(() => waiter.lost(busy));
    }
  }

  /** Resolves when it is on the disk. Rejects where the bridge ends before that. */
  async recordSolution(solution: Solution, state: SolutionState, detail: string): Promise<void> {
    const { job, header, powHash, account, rig, foundAtMs } = solution;
    const blockDifficulty = difficultyOf(job.blockTarget);
    const record = { node: job.node, header, powHash, blockDifficulty, account, rig, foundAtMs };
    await this.keepWord(record, state, detail);
  }

  /** The same of one that may have been found before this start. */
  keepWord(solution: SolutionRecord, state: SolutionState, detail: string): Promise<void> {
    const found = this.#open.find(solution) ?? { solution, log: this.logId };
    return this.#own.disk.solution({ ...found, state, detail });
  }

  #inQueueToo(waiter: ShareWaiter): ShareWaiter {
    const kept = (): void => void this.#shipper.shipped().then(() => waiter.kept());
    return { kept, lost: (error) => waiter.lost(error) };
  }

  /** Counts a submit that was no share; with the next entry it gets into the books. */
  countRejection(submit: RejectedSubmit): void {
    this.#rejections.add(submit);
  }

  async stats(): Promise<ShareQueueStats> {
    const counts = await this.#queue.counts().catch(() => undefined);
    this.#lastCounts = counts ?? this.#lastCounts;
    const { shares: unshipped, waitsSinceMs = Number.POSITIVE_INFINITY } = this.#shipper;
    return {
      backend: this.#options.connection.backend,
      isUp: counts !== undefined,
      ...this.#lastCounts,
      heldBack: this.#shipper.isBehind ? unshipped : 0,
      unshipped,
      oldestMs: Math.max(0, (this.#options.nowMs ?? Date.now)() - waitsSinceMs),
      logBytes: this.#own.disk.bytes,
      unkeptSolutions: this.#own.disk.unkeptSolutions,
    };
  }

  /** Takes no further share, ships what is left if the queue takes it, and lets go of disk and queue. */
  async close(withinMs = CLOSE_TIMEOUT_MS): Promise<boolean> {
    this.#own.disk.refuse();
    const isShipped = await this.#shipper.close(withinMs / 2);
    await this.#logs.close(withinMs / 20);
    await this.#own.disk.close();
    await this.#queue.close(withinMs / 4);
    return isShipped;
  }
}

/** Of each solution the last word; those without one are open. */
function lastWords(former: readonly FormerLog[], open: OpenSolutions): SolutionWord[] {
  const all = former.flatMap(({ solutions }) => solutions);
  const last = new Map<string, SolutionWord>();
  const isFound = ({ word }: (typeof all)[number]): boolean => word.state === 'found';
  // Logs stand in no order: what was answered may have been found in another one.
  for (const { word, segment } of [...all.filter(isFound), ...all.filter((one) => !isFound(one))]) {
    open.wrote(word, segment);
    last.set(keyOf(word.solution), word);
  }
  return [...last.values()];
}

function removerOf(segments: Segment[]): (segment: Segment) => Promise<void> {
  return async (segment) => {
    await removeSegment(segment);
    segments.splice(segments.indexOf(segment), 1);
  };
}
