/** The state of the bridge on one page: `/api/v1/summary`. */
import type { NodeReport } from '../bridge/events.js';
import type { RigCounts, RigWatch } from '../bridge/rig-watch.js';
import type { Job } from '../core/job.js';
import { difficultyOf } from '../core/target.js';
import type { Freshness, FreshnessReport } from './freshness.js';
import type { LastKnown } from './last-known.js';
import { OUTCOMES, type SolutionCounts, type SubmitOutcome, type Tally } from './tally.js';

export interface Summary {
  readonly version: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Of this bridge among those on its ledger; `null` until one was leased. */
  readonly instance: number | null;
  /** `chains` with live work; `requests` for work, streams and probes since the start. */
  readonly nodes: readonly NodeReport[];
  /** The newest work of each chain that is mined. `blockDifficulty`: expected hashes, decimal. */
  readonly works: readonly { chainId: number; height: number; blockDifficulty: string; ageMs: number }[];
  readonly freshness: FreshnessReport;
  readonly sessions: number;
  readonly rigs: Omit<RigCounts, 'sessions'>;
  readonly hashesPerSecond: number;
  readonly submits: Readonly<Record<SubmitOutcome, number>>;
  readonly solutions: SolutionCounts & { readonly pending: number };
  /** The last known counts; only `isUp` where nothing was ever heard. */
  readonly queue: { readonly isUp: boolean } & Partial<Omit<QueueStats, 'isUp'>>;
  /** The last known totals; only `isUp` where nothing was ever heard. `work`: expected hashes credited, decimal. */
  readonly ledger: { readonly isUp: boolean } & Partial<LedgerTotals>;
}

export interface QueueStats {
  readonly backend: 'postgres' | 'redis';
  /** The backend answered just now; otherwise `waiting` and `failed` are the last known. */
  readonly isUp: boolean;
  /** Entries that wait to be recorded. */
  readonly waiting: number;
  /** Entries that could not be recorded. They are kept for people to look at. */
  readonly failed: number;
  /** Entries on the spool because the queue is away. */
  readonly spooled: number;
}

export interface LedgerTotals {
  readonly shares: number;
  readonly work: string;
}

const NO_RIGS: Summary['rigs'] = { leased: 0, parked: 0, bans: 0, waiting: 0, refused: 0 };

/** Where the parts of a summary come from. */
export interface SummarySources {
  readonly version: string;
  readonly startedAtMs: number;
  readonly instance: () => number | undefined;
  readonly tally: Tally;
  readonly freshness: Freshness;
  readonly nodes: () => readonly NodeReport[];
  readonly liveJobs: () => readonly Job[];
  /** `undefined` until the rigs' side is up. */
  readonly rigs: () => RigWatch | undefined;
  readonly pendingSolutions: () => number;
  readonly queue: LastKnown<QueueStats>;
  readonly ledger: LastKnown<LedgerTotals>;
}

/** Answers within a second whatever is away. */
export async function summarize(sources: SummarySources): Promise<Summary> {
  const { tally } = sources;
  const [queue, ledger] = await Promise.all([sources.queue.look(), sources.ledger.look()]);
  return {
    version: sources.version,
    startedAt: new Date(sources.startedAtMs).toISOString(),
    instance: sources.instance() ?? null,
    nodes: [...sources.nodes()],
    works: worksOf(sources),
    freshness: sources.freshness.report(),
    sessions: tally.sessions,
    rigs: countsOf(sources),
    hashesPerSecond: Math.round(tally.hashesPerSecond),
    submits: Object.fromEntries(
      OUTCOMES.map((name) => [name, tally.submits.get(name) ?? 0]),
    ) as Summary['submits'],
    solutions: { ...tally.solutions, pending: sources.pendingSolutions() },
    queue: { ...queue.value, isUp: queue.isUp && (queue.value?.isUp ?? false) },
    ledger: { ...ledger.value, isUp: ledger.isUp },
  };
}

function countsOf({ rigs }: SummarySources): Summary['rigs'] {
  const { leased, parked, bans, waiting, refused } = rigs()?.counts() ?? NO_RIGS;
  return { leased, parked, bans, waiting, refused };
}

function worksOf({ liveJobs, tally }: SummarySources): Summary['works'] {
  const newest = new Map(liveJobs().map((job) => [job.work.chainId, job]));
  return Array.from(newest.values(), (job) => ({
    chainId: job.work.chainId,
    height: job.work.fields.height,
    blockDifficulty: difficultyOf(job.blockTarget).toString(),
    ageMs: Math.round(tally.ageMs(job)),
  }));
}
