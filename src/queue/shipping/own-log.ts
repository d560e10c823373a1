/**
 * The log that is written to. It ends, and another one begins, when its clock would go back: its records say that all before a time is in it,
 * which has to stay true. So does one that was begun before the ledger said what time it is.
 */
import type { Log } from '../../core/names/log.js';
import type { DiskLog } from '../log/share-log.js';
import type { KeptLog } from './kept-log.js';
import type { KeptLogs } from './kept-logs.js';

/** A new log, as it is on the disk and as it is shipped. */
export interface FreshLog {
  readonly disk: DiskLog;
  readonly kept: KeptLog;
}

interface OwnLogParts {
  readonly first: FreshLog;
  /** @param formerBytes of all logs before it, as far as they count. */
  readonly make: (formerBytes: number) => FreshLog;
  readonly logs: KeptLogs;
  readonly nowMs: () => number;
  /** The ledger has said what time it is. */
  readonly isTimeKnown: boolean;
  readonly log: Log;
}

/** Clocks that are kept right differ by less. */
const TOLERATED_MS = 1000;

export class OwnLog {
  readonly #parts: OwnLogParts;
  #current: FreshLog;
  /** It is to get its last cut. */
  #ending: FreshLog | undefined;
  #isTimeKnown: boolean;

  constructor(parts: OwnLogParts) {
    this.#parts = parts;
    this.#current = parts.first;
    this.#isTimeKnown = parts.isTimeKnown;
  }

  get disk(): DiskLog {
    return this.#current.disk;
  }

  get kept(): KeptLog {
    return this.#current.kept;
  }

  /** To be called between two cuts. Rejects where the disk takes nothing now: it is tried again. */
  async keepTime(): Promise<void> {
    await this.#end();
    const { logs, nowMs, log, make } = this.#parts;
    const { disk } = this.#current;
    const backMs = disk.latestMs - nowMs();
    if (this.#isTimeKnown && backMs <= TOLERATED_MS) return;
    // What is in memory alone is of this log.
    if (disk.unkeptSolutions > 0) return;
    const next = make(disk.bytes);
    await next.disk.begin();
    this.#isTimeKnown = true;
    this.#ending = this.#current;
    this.#current = next;
    logs.succeed(next.kept);
    const fields = { log: disk.id, next: next.disk.id, backMs: Math.max(0, Math.round(backMs)) };
    log.warn(fields, 'the time of the ledger is another one than that of the share log: a new log begins');
    await this.#end();
  }

  async #end(): Promise<void> {
    const ending = this.#ending;
    if (!ending) return;
    const { disk, kept } = ending;
    const before = disk.bytes;
    kept.add(await disk.cut(true));
    this.#ending = undefined;
    await disk.close();
    this.#current.disk.booked(before - disk.bytes);
  }
}
