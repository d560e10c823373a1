/** The state of the bridge on one page: `/api/v1/summary`. */
import type { NodeReport } from '../bridge/events.js';
import type { RigCounts, RigWatch } from '../bridge/rig-watch.js';
import type { Job } from '../core/job.js';
import { difficultyOf } from '../core/target.js';
import type { Freshness, FreshnessReport } from './freshness.js';
import type { Tally } from './tally.js';

export interface Summary {
  readonly version: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** `chains` with live work; `requests` for work, streams and probes since the start. */
  readonly nodes: readonly NodeReport[];
  /** The newest work of each chain that is mined. `blockDifficulty`: expected hashes, decimal. */
  readonly works: readonly { chainId: number; height: number; blockDifficulty: string; ageMs: number }[];
  readonly freshness: FreshnessReport;
  readonly sessions: number;
  readonly rigs: Omit<RigCounts, 'sessions'>;
  readonly hashesPerSecond: number;
  readonly submits: Readonly<Record<CountedOutcome, number>>;
  readonly solutions: { found: number; accepted: number; rejected: number; pending: number };
  readonly queue: QueueStats;
  /** `work`: expected hashes credited, decimal. */
  readonly ledger: LedgerTotals;
}

export interface QueueStats {
  readonly backend: 'postgres' | 'redis';
  /** Entries that wait to be recorded. */
  readonly waiting: number;
  /** Shares on the spool because the queue is away. */
  readonly spooled: number;
}

export interface LedgerTotals {
  readonly shares: number;
  readonly work: string;
}

const NO_RIGS: Summary['rigs'] = { leased: 0, parked: 0, bans: 0, waiting: 0, refused: 0 };

const COUNTED = [
  'accepted',
  'stale',
  'duplicate',
  'lowDifficulty',
  'unknownJob',
  'malformed',
  'unauthorized',
] as const;
type CountedOutcome = (typeof COUNTED)[number];

/** Where the parts of a summary come from. */
export interface SummarySources {
  readonly version: string;
  readonly startedAtMs: number;
  readonly tally: Tally;
  readonly freshness: Freshness;
  readonly nodes: () => readonly NodeReport[];
  readonly liveJobs: () => readonly Job[];
  /** `undefined` until the rigs' side is up. */
  readonly rigs: () => RigWatch | undefined;
  readonly pendingSolutions: () => number;
  readonly queue: () => Promise<QueueStats>;
  readonly ledger: () => Promise<LedgerTotals>;
}

export async function summarize(sources: SummarySources): Promise<Summary> {
  const { tally } = sources;
  const [queue, ledger] = await Promise.all([sources.queue(), sources.ledger()]);
  return {
    version: sources.version,
    startedAt: new Date(sources.startedAtMs).toISOString(),
    nodes: sources.nodes().map((node) => ({ ...node, url: withoutPassword(node.url) })),
    works: worksOf(sources),
    freshness: sources.freshness.report(),
    sessions: tally.sessions,
    rigs: countsOf(sources),
    hashesPerSecond: Math.round(tally.hashesPerSecond),
    submits: Object.fromEntries(
      COUNTED.map((name) => [name, tally.submits.get(name) ?? 0]),
    ) as Summary['submits'],
    solutions: { ...tally.solutions, pending: sources.pendingSolutions() },
    queue,
    ledger,
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
    ageMs: tally.ageMs(job),
  }));
}

/** An operator may have written credentials into a node's URL. */
export function withoutPassword(url: string): string {
  const parsed = new URL(url);
  if (parsed.username === '' && parsed.password === '') return url;
  parsed.username = '';
  parsed.password = '';
  return parsed.toString();
}
