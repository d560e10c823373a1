/** Entries that no recorder could read, or that are not what is booked under their number: BullMQ keeps them as failed until somebody decides. */
import {
  closeWithin,
  createQueue,
  type QueueConnection,
  type QueueOf,
  within,
} from '../bullmq/connection.js';
import { SHARES } from '../shipping/entry.js';

interface FailedEntry {
  readonly id: string;
  /** As far as they can be counted. */
  readonly shares: number;
  /** Expected hashes, likewise, as a decimal string. */
  readonly work: string;
  /** Of its log up to it; `undefined` where it cannot be read. */
  readonly total: { readonly shares: number; readonly work: string } | undefined;
  readonly failedAt: string;
  /** Why it could not be booked. */
  readonly error: string;
}

/** What is used of BullMQ's job. */
interface FailedJob {
  readonly id?: string;
  readonly data: unknown;
  readonly failedReason?: string;
  readonly finishedOn?: number;
  retry(state: 'failed'): Promise<void>;
  remove(): Promise<void>;
  isFailed(): Promise<boolean>;
}

type FailedQueue = Omit<QueueOf<unknown>, 'getJob'> & {
  getFailed(start: number, end: number): Promise<FailedJob[]>;
  getJob(id: string): Promise<FailedJob | undefined>;
};

const CONNECT_TIMEOUT_MS = 3000;
const TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 2000;

/** Of one queue, which is there already. To be closed. */
export class FailedEntries {
  readonly #queue: FailedQueue;

  constructor(connection: QueueConnection) {
    this.#queue = createQueue(SHARES, { ...connection, asItIs: true }) as unknown as FailedQueue;
    this.#queue.on('error', () => {}); // what was asked rejects anyway
  }

  async list(limit: number): Promise<FailedEntry[]> {
    const jobs = await this.#asked((queue) => queue.getFailed(0, limit - 1));
    return jobs.map(reportOf);
  }

  /** Hands it to the recorders once more; `undefined` when there is no such entry. */
  async retry(id: string): Promise<FailedEntry | undefined> {
    return this.#with(id, (job) => job.retry('failed'));
  }

  /** Forgets it: its shares are credited to nobody. */
  async drop(id: string): Promise<FailedEntry | undefined> {
    return this.#with(id, (job) => job.remove());
  }

  async close(): Promise<void> {
    await closeWithin(this.#queue, CLOSE_TIMEOUT_MS);
  }

  async #with(id: string, act: (job: FailedJob) => Promise<void>): Promise<FailedEntry | undefined> {
    return this.#asked(async (queue) => {
      const job = await queue.getJob(id);
      if (!job || !(await job.isFailed())) return undefined;
      await act(job);
      return reportOf(job);
    });
  }

  async #asked<T>(ask: (queue: FailedQueue) => Promise<T>): Promise<T> {
    await within(CONNECT_TIMEOUT_MS, this.#queue.waitUntilReady());
    return within(TIMEOUT_MS, ask(this.#queue));
  }
}

function reportOf({ id = '', data, failedReason = '', finishedOn = 0 }: FailedJob): FailedEntry {
  // Nothing is taken for granted of what could not be read.
  const { sums, total } = (data ?? {}) as { sums?: unknown; total?: unknown };
  const accepted = (Array.isArray(sums) ? sums : []).flatMap(acceptedOf);
  return {
    id,
    shares: accepted.reduce((sum, { shares }) => sum + shares, 0),
    work: accepted.reduce((sum, { work }) => sum + work, 0n).toString(),
    total: totalOf(total),
    failedAt: new Date(finishedOn).toISOString(),
    error: failedReason,
  };
}

function totalOf(total: unknown): FailedEntry['total'] {
  const [shares, work]: unknown[] = Array.isArray(total) ? total : [];
  return Number.isSafeInteger(shares) && isDecimal(work) ? { shares: shares as number, work } : undefined;
}

/** A sum of accepted shares, as far as it looks like one. */
function acceptedOf(sum: unknown): { readonly shares: number; readonly work: bigint }[] {
  const [, , kind, shares, work]: unknown[] = Array.isArray(sum) ? sum : [];
  if (kind !== 0 || typeof shares !== 'number' || !Number.isSafeInteger(shares)) return [];
  return [{ shares, work: isDecimal(work) ? BigInt(work) : 0n }];
}

function isDecimal(text: unknown): text is string {
  return typeof text === 'string' && /^\d{1,100}$/.test(text);
}
