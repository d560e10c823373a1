/** A machine with a bridge of which only the way of shares is there: the real log and shipper, on real files. What it may do when, a history says. */
import { randomUUID } from 'node:crypto';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EntryGaps, SolutionState, SolutionWord } from '../../../src/bridge/ports.js';
import { SILENT } from '../../../src/core/names/log.js';
import type { Share, Solution } from '../../../src/core/shares/share.js';
import type { QueueConnection } from '../../../src/queue/bullmq/connection.js';
import { openShareQueue, SHARE_QUEUE_LIMITS, type ShareQueue } from '../../../src/queue/share-queue.js';
import type { EncodedEntry } from '../../../src/queue/shipping/entry.js';
import { append } from '../rigs/shares.js';
import { Gate, type MemoryQueue, Uplink } from './queue.js';

/** It ships, and asks what is booked, whenever its gates let it. What the queue lost is seen at the next question. */
const LIMITS = {
  ...SHARE_QUEUE_LIMITS,
  ...{ shipMs: 1, heartbeatMs: 0, bookedMs: 1, lostAfterMs: 0 },
  ...{ segmentBytes: 2048, stepBytes: 4096 },
};
/** Entries that wait are few: more are no end. */
const MOST_ENTRIES = 1000;
const ROUND_ANSWERS = 3;

export interface Surroundings {
  readonly folder: string;
  readonly queue: MemoryQueue;
  readonly ledger: EntryGaps;
  /** The ledger's. */
  readonly nowMs: () => number;
  /** Told of each entry that is made. */
  readonly onEntry: (entry: EncodedEntry) => void;
}

interface Start {
  readonly log: ShareQueue;
  readonly uplink: Uplink;
  readonly questions: Gate;
  /** Log -> how often it was told what of it is booked. */
  readonly answers: Map<string, number>;
}

export class Machine {
  readonly #around: Surroundings;
  readonly #number: number;
  /** Starts that were killed, and end as such. */
  readonly #dead: Promise<void>[] = [];
  #starts = 0;
  #dataDir: string;
  #start: Start | undefined;
  /** Its clock is so much ahead of the ledger's. */
  aheadMs = 0;
  isConnected = true;
  /** With its disk. */
  isGone = false;
  /** That stand on its disk, or did before all of them was booked. */
  readonly allLogs: string[] = [];

  constructor(around: Surroundings, number: number) {
    this.#around = around;
    this.#number = number;
    this.#dataDir = this.#nextFolder();
  }

  get isUp(): boolean {
    return this.#start !== undefined;
  }

  /** The log that it writes now. */
  get log(): string {
    return this.#up.log.producerId;
  }

  /** That it names when it renews its lease. */
  get logs(): readonly string[] {
    return this.#up.log.logs;
  }

  get nowMs(): number {
    return this.#around.nowMs() + this.aheadMs;
  }

  /** What happens is never before what was cut already, whatever the clock says. */
  get timeMs(): number {
    const { last } = this.#up.uplink;
    return Math.max(this.nowMs, last?.id[0] === this.log ? last.watermarkMs : 0);
  }

  get #up(): Start {
    return this.#start ?? failed('the bridge is down');
  }

  /** Resolves with solutions that nobody has answered yet. */
  async start(): Promise<SolutionWord[]> {
    await mkdir(this.#dataDir, { recursive: true });
    const { queue, ledger, onEntry } = this.#around;
    const uplink = new Uplink(queue, onEntry);
    const questions = new Gate();
    const answers = new Map<string, number>();
    const entries: EntryGaps = {
      missingEntries: async (producer, ...which) => {
        await questions.through();
        const missing = await ledger.missingEntries(producer, ...which);
        answers.set(producer, 1 + (answers.get(producer) ?? 0));
        return missing;
      },
    };
    const log = await openShareQueue({
      ...{ connection: NONE, dataDir: this.#dataDir, entries, log: SILENT, queue: uplink },
      ...{ newProducerId: randomUUID, nowMs: () => this.nowMs, limits: LIMITS },
    });
    this.#start = { log, uplink, questions, answers };
    this.allLogs.push(log.producerId);
    await Promise.all([uplink.gate.arrival(), questions.arrival()]);
    return log.earlierSolutions.filter(({ state }) => state === 'found');
  }

  accept(share: Share): Promise<void> {
    return append(this.#up.log, share);
  }

  found(solution: Solution): Promise<void> {
    return this.#up.log.recordSolution(solution, 'found', '');
  }

  answered({ solution }: Pick<SolutionWord, 'solution'>, state: SolutionState): Promise<void> {
    return this.#up.log.keepWord(solution, state, '');
  }

  /** So many entries, the oldest first, as they were cut. */
  async ship(entries: number): Promise<void> {
    for (let left = entries; left > 0; left--) await this.#up.uplink.gate.pass();
  }

  /** All there is, and the word that all until now is. */
  async shipAll(): Promise<void> {
    const { uplink } = this.#up;
    const isNew = (entry?: EncodedEntry): boolean =>
      entry?.id[0] === this.log &&
      entry.watermarkMs >= this.nowMs &&
      entry.sums.length + entry.solutions.length === 0;
    // The one that stands there was cut before.
    await uplink.gate.pass();
    for (let left = MOST_ENTRIES; left > 0 && !isNew(uplink.last); left--) await uplink.gate.pass();
    await uplink.gate.pass();
  }

  /** What of it is booked; it ships again what neither ledger nor queue have. */
  async ask(): Promise<void> {
    const { answers, questions } = this.#up;
    answers.clear();
    // One round asks twice at most of the same log: so at the third time a whole one is over.
    while (Math.max(0, ...answers.values()) < ROUND_ANSWERS) await questions.pass();
  }

  /** In order: it ships what it has, where the queue takes it. */
  async stop(takes: boolean): Promise<void> {
    const { log, uplink, questions } = this.#up;
    this.#start = undefined;
    if (takes) uplink.gate.open();
    else uplink.gate.refuse('the queue is away');
    questions.refuse('the bridge stops');
    await log.close();
  }

  /** The files stay as they are at this moment. */
  async crash(): Promise<void> {
    const before = this.#dataDir;
    this.#dataDir = this.#nextFolder();
    await cp(before, this.#dataDir, { recursive: true });
    this.#kill();
  }

  /** Its disk, and what is on it, is no more. */
  burn(): void {
    this.isGone = true;
    this.#dataDir = this.#nextFolder();
    if (this.isUp) this.#kill();
  }

  /** Resolves when nothing of it runs. */
  async end(): Promise<void> {
    if (this.isUp) this.#kill();
    await Promise.all(this.#dead);
  }

  #kill(): void {
    const { log, uplink, questions } = this.#up;
    this.#start = undefined;
    uplink.gate.refuse('the bridge was killed');
    questions.refuse('the bridge was killed');
    this.#dead.push(log.close());
  }

  #nextFolder(): string {
    return join(this.#around.folder, `${this.#number}-${++this.#starts}`);
  }
}

/** Nothing is asked of it where another way to the queue is given. */
const NONE = { backend: 'postgres' } as QueueConnection;

function failed(why: string): never {
  throw new Error(why);
}
