/** The way of entries over the disk: into the spool while the queue's backend is away, and out of it in order after that. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../core/log.js';
import { type EncodedEntry, entryOfRecord } from './entry.js';
import type { EntryAdder } from './producer.js';
import type { Spool } from './spool.js';
import { SpoolError } from './spool-error.js';

/** As many at a time as one add takes well: a record at a time would be a commit each. */
const REPLAY_RECORDS = 100;
/** Between two words about a queue that takes nothing. */
const TELL_MS = 60_000;
const REPLAY_DELAYS_MS = { first: 250, last: 5000 };
/** Entries that are held in memory; beyond, entries are refused before anything is tried with them. */
const MAX_HELD = 16;

/** An entry that may be kept already, and will be. */
export interface HeldEntry {
  /** Rejects when the bridge stops first. */
  readonly untilKept: Promise<void>;
}

interface Held {
  readonly entry: EncodedEntry;
  kept(): void;
  given(error: Error): void;
}

export class Spooler {
  readonly #spool: Spool;
  readonly #producer: EntryAdder;
  readonly #log: Log;
  readonly #closing = new AbortController();
  /** Set while spooling. */
  #replaying: Promise<void> | undefined;
  /** When it was last said that the queue is away. */
  #toldAtMs = Number.NEGATIVE_INFINITY;
  /** Appends under way. */
  #writes = 0;
  /** Oldest first. They came before what is in the spool, so they go first. */
  readonly #held: Held[] = [];

  constructor(spool: Spool, producer: EntryAdder, log: Log) {
    this.#spool = spool;
    this.#producer = producer;
    this.#log = log;
  }

  /** Every entry goes over the disk, so that none overtakes another. */
  get isSpooling(): boolean {
    return this.#replaying !== undefined;
  }

  get records(): number {
    return this.#spool.records + this.#held.length;
  }

  get isEmpty(): boolean {
    return this.records === 0 && this.#writes === 0;
  }

  begin(reason: Error): void {
    if (this.#replaying) return;
    this.#log.warn({ error: reason.message }, 'the share queue is away; shares go to the spool on disk');
    this.#toldAtMs = performance.now();
    this.#replaying = this.#replay();
  }

  /** Replays what an earlier run left. */
  resume(): void {
    const { records } = this.#spool;
    if (records === 0) return;
    const words = 'shares of an earlier run are in the spool; they are replayed first';
    this.#log.warn({ entries: records }, words);
    this.#replaying ??= this.#replay();
  }

  /** Resolves when the entry is on the disk. Throws SpoolError. */
  async append(entry: EncodedEntry): Promise<void> {
    if (this.#held.length >= MAX_HELD)
      throw new SpoolError(
        'spool-broken',
        `${MAX_HELD} entries wait already for queue or spool to take them`,
      );
    this.#writes++;
    await this.#spool.append(JSON.stringify(entry)).finally(() => this.#writes--);
    // An entry that waited for its turn may come after the spool was emptied: it begins the next replay.
    this.#replaying ??= this.#replay();
  }

  /** Keeps trying with an entry of which nobody knows whether it was taken. */
  hold(entry: EncodedEntry): HeldEntry {
    const untilKept = new Promise<void>((kept, given) => this.#held.push({ entry, kept, given }));
    const words = 'the spool refuses an entry that the queue may have taken; its shares wait for an answer';
    this.#log.error({ shares: entry.shares.length }, words);
    this.#replaying ??= this.#replay();
    return { untilKept };
  }

  /** What is not replayed stays for the next start; what is held is given up, and nobody knows whether it was taken. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#replaying;
    for (const { given } of this.#held.splice(0)) given(new Error('the bridge is stopping'));
    await this.#spool.close();
  }

  /** Ends when the spool is empty, and with it the spooling. */
  async #replay(): Promise<void> {
    let delayMs = 0;
    while (!this.#closing.signal.aborted) {
      await pause(delayMs, undefined, { signal: this.#closing.signal }).catch(() => {});
      try {
        await this.#settleHeld();
        if (!(await this.#replayFile())) return;
        delayMs = 0;
      } catch (error) {
        this.#tellWaiting(error as Error);
        delayMs = Math.min(Math.max(2 * delayMs, REPLAY_DELAYS_MS.first), REPLAY_DELAYS_MS.last);
      }
    }
  }

  /** Once a minute, for as long as it takes: a queue that answers and yet takes nothing would go unseen. */
  #tellWaiting(error: Error): void {
    const nowMs = performance.now();
    const level = nowMs - this.#toldAtMs < TELL_MS ? 'debug' : 'warn';
    if (level === 'warn') this.#toldAtMs = nowMs;
    const fields = { entries: this.records, error: error.message };
    this.#log[level](fields, 'the share queue takes nothing yet: shares wait in the spool');
  }

  async #settleHeld(): Promise<void> {
    for (let first = this.#held[0]; first; first = this.#held[0]) {
      const { entry, kept } = first;
      await this.#producer.add(entry).catch((error: Error) =>
        // There may be room on the disk by now.
        this.#spool.append(JSON.stringify(entry)).catch(() => Promise.reject(error)),
      );
      this.#held.shift();
      kept();
    }
  }

  /** False when there was nothing left, and from that moment on the queue is direct again. */
  async #replayFile(): Promise<boolean> {
    const file = await this.#spool.oldest();
    if (!file) {
      // The backend must have come back before anything is added directly again.
      await this.#producer.counts();
      if (!this.isEmpty) return true;
      this.#replaying = undefined;
      this.#log.info({}, 'the share queue takes shares again');
      return false;
    }
    const entries = file.records.flatMap((record) => entryOfRecord(record) ?? []);
    const others = file.records.length - entries.length;
    if (others > 0) await this.#spool.spoil(file.number, others);
    for (let at = 0; at < entries.length; at += REPLAY_RECORDS) {
      if (this.#closing.signal.aborted) return true;
      await this.#producer.addAll(entries.slice(at, at + REPLAY_RECORDS));
    }
    await this.#spool.remove(file.number);
    this.#log.info({ entries: entries.length }, 'a file of the spool was replayed');
    return true;
  }
}
