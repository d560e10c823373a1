/** A machine with a bridge of which only the way of shares is there: the real log and shipper, on real files. What it may do when, a history says. */
import { randomUUID } from 'node:crypto';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogLedger, SolutionState, SolutionWord } from '../../../src/bridge/ports.js';
import { SILENT } from '../../../src/core/names/log.js';
import type { Share, Solution } from '../../../src/core/shares/share.js';
import type { QueueConnection } from '../../../src/queue/bullmq/connection.js';
import {
  openShareQueue,
  SHARE_QUEUE_LIMITS,
  type ShareQueue,
  type ShareQueueLimits,
} from '../../../src/queue/share-queue.js';
import type { EncodedEntry } from '../../../src/queue/shipping/entry.js';
import { append } from '../rigs/shares.js';
import { Gate, type MemoryQueue, Uplink } from './queue.js';

/** It ships, and renews its lease, whenever its gates let it. What is booked stays on its disk no longer. */
const LIMITS = {
  ...SHARE_QUEUE_LIMITS,
  ...{ shipMs: 1, heartbeatMs: 0, idleMs: 0, renewMs: 1, keepMs: 0 },
  ...{ segmentBytes: 2048, stepBytes: 4096 },
};
/** Entries that wait are few: more are no end. */
const MOST_ENTRIES = 1000;

export interface Surroundings {
  readonly folder: string;
  readonly queue: MemoryQueue;
  readonly ledger: LogLedger;
  /** The ledger's. */
  readonly nowMs: () => number;
  /** Told of each entry that is made. */
  readonly onEntry: (entry: EncodedEntry) => void;
}

interface Start {
  readonly log: ShareQueue;
  readonly uplink: Uplink;
  /** Before each renewal of the lease. */
  readonly renewals: Gate;
  /** The ledger has answered: nothing is shipped before that. */
  hasHeard: boolean;
}

export class Machine {
  readonly #around: Surroundings;
  readonly #number: number;
  /** Starts that were killed, and end as such. */
  readonly #dead: Promise<unknown>[] = [];
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
  /** That it has named when it renewed its lease. */
  logs: readonly string[] = [];
  /** What was shipped and is not booked was shipped long ago. */
  #isLongAgo = false;

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
    return this.#up.log.logId;
  }

  get nowMs(): number {
    return this.#around.nowMs() + this.aheadMs;
  }

  /** What happens is never before what was cut already of its log, whatever the clock says. */
  get timeMs(): number {
    return Math.max(this.nowMs, this.#up.uplink.watermarks.get(this.log) ?? 0);
  }

  get #up(): Start {
    return this.#start ?? failed('the bridge is down');
  }

  /**
   * Resolves with solutions that nobody has answered yet. It waits for the first word of the ledger.
   *
   * @param isTimeKnown else a new log begins with that word.
   */
  async start(isTimeKnown: boolean): Promise<SolutionWord[]> {
    await mkdir(this.#dataDir, { recursive: true });
    const { queue, onEntry } = this.#around;
    const uplink = new Uplink(queue, onEntry);
    const renewals = new Gate();
    const log = await openShareQueue({
      ...{ connection: NONE, folder: this.#dataDir, ledger: this.#ledger(renewals), log: SILENT },
      ...{ queue: uplink, place: `machine ${this.#number}`, newLogId: () => this.#newLog(), isTimeKnown },
      nowMs: () => this.nowMs,
      limits: this.#limits(),
    });
    this.#start = { log, uplink, renewals, hasHeard: false };
    await renewals.arrival();
    return log.earlierSolutions.filter(({ state }) => state === 'found');
  }

  #newLog(): string {
    const id = randomUUID();
    this.allLogs.push(id);
    return id;
  }

  #ledger(renewals: Gate): LogLedger {
    const { ledger } = this.#around;
    return {
      id: async () => {
        await renewals.through();
        return ledger.id();
      },
      renewLogs: async (logs, place) => {
        const areWaitedFor = await ledger.renewLogs(logs, place);
        this.logs = logs;
        return areWaitedFor;
      },
      missingEntries: (...given) => ledger.missingEntries(...given),
      conflictingEntries: (...given) => ledger.conflictingEntries(...given),
      giveUpEntries: (...given) => ledger.giveUpEntries(...given),
    };
  }

  #limits(): ShareQueueLimits {
    const againMs = (): number => (this.#isLongAgo ? 0 : Number.POSITIVE_INFINITY);
    return Object.defineProperty({ ...LIMITS }, 'againMs', { get: againMs });
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
    const { uplink, hasHeard } = this.#up;
    for (let left = hasHeard ? entries : 0; left > 0; left--) await uplink.gate.pass();
  }

  /** All there is, and the word that all until now is. */
  async shipAll(): Promise<void> {
    const { uplink, hasHeard } = this.#up;
    if (!hasHeard) return;
    const isNew = (entry?: EncodedEntry): boolean =>
      entry?.id[0] === this.log &&
      entry.watermarkMs >= this.nowMs &&
      entry.sums.length + entry.solutions.length === 0;
    // The one that stands there was cut before.
    await uplink.gate.pass();
    for (let left = MOST_ENTRIES; left > 0 && !isNew(uplink.last); left--) await uplink.gate.pass();
    await uplink.gate.pass();
  }

  /**
   * Names its logs to the ledger, and hears what of them is booked.
   *
   * @param isLongAgo it ships again what it has shipped and is not booked.
   */
  async renew(isLongAgo: boolean): Promise<void> {
    const start = this.#up;
    this.#isLongAgo = isLongAgo;
    await start.renewals.pass();
    start.hasHeard = true;
    await start.uplink.gate.arrival();
  }

  /** In order: it ships what it has, where the queue takes it. */
  async stop(takes: boolean): Promise<void> {
    const { log, uplink, renewals } = this.#up;
    this.#start = undefined;
    if (takes) uplink.gate.open();
    else uplink.gate.refuse('the queue is away');
    renewals.refuse('the bridge stops');
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
    const { log, uplink, renewals } = this.#up;
    this.#start = undefined;
    uplink.gate.refuse('the bridge was killed');
    renewals.refuse('the bridge was killed');
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
