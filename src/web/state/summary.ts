/** The state of the bridge on one page: `/api/v1/summary`. */
import type { Signs } from '../../alerts/signs.js';
import type { AlertsView } from '../../bridge/alerts.js';
import type { NodeReport } from '../../bridge/events.js';
import type { TimelineView } from '../../bridge/timeline/timeline.js';
import type { BooksWatch } from '../../bridge/watch/books-watch.js';
import { type AllBridges, countsTogether, totalsTogether } from '../../bridge/watch/other-bridges.js';
import type { RigWatch } from '../../bridge/watch/rig-watch.js';
import type { Job } from '../../core/jobs/job.js';
import { coinOf } from '../../core/money/coin.js';
import { type Development, isForDevelopment } from '../../core/work/development.js';
import { difficultyOf } from '../../core/work/target.js';
import type { Following } from '../../operations/books/chains.js';
import { ratesOf } from '../../operations/entry/values.js';
import { OUTCOMES, type Pool, type PublicSummary, type Summary, type Terms } from '../../operations/state.js';
import type { Freshness } from './freshness.js';
import type { LastKnown } from './last-known.js';
import type { Listeners } from './listeners.js';
import type { Tally } from './tally.js';

export interface QueueStats {
  readonly backend: 'postgres' | 'redis';
  /** The backend answered just now; otherwise `waiting` and `failed` are the last known. */
  readonly isUp: boolean;
  /** Entries that wait to be recorded. */
  readonly waiting: number;
  /** Entries that could not be recorded. They are kept for people to look at. */
  readonly failed: number;
  /** Shares that wait in the share log on disk, as the queue takes none. */
  readonly heldBack: number;
  /** Acknowledged shares that are not in the queue yet: while all is well, those of the last second. */
  readonly unshipped?: number;
  /** Age of the oldest of them; 0 while there is none. */
  readonly oldestMs?: number;
  /** Size of the share log: what is not shipped, or not known to be booked. */
  readonly logBytes?: number;
  /** Solutions that the disk does not take: they are in memory alone. */
  readonly unkeptSolutions: number;
}

export interface LedgerTotals {
  readonly shares: number;
  readonly work: string;
}

/** Where the parts of a summary, and what else is shown, come from. */
export interface SummarySources {
  readonly version: string;
  readonly startedAtMs: number;
  readonly instance: () => number | undefined;
  /** As what this bridge stands in lists: by its number where any of several may be asked, and null where it is alone. */
  readonly self: () => number | null;
  /** For people: host and folder. */
  readonly place: string;
  /** Those on the same ledger. */
  readonly bridges: AllBridges;
  readonly tally: Tally;
  readonly freshness: Freshness;
  readonly nodes: () => readonly NodeReport[];
  /** Why rigs are let go; `undefined` while they are not. */
  readonly whyReleased: () => string | undefined;
  readonly liveJobs: () => readonly Job[];
  readonly rigs: RigWatch;
  readonly listeners: () => Listeners;
  readonly books: BooksWatch;
  readonly pendingSolutions: () => number;
  readonly queue: LastKnown<QueueStats>;
  readonly ledger: LastKnown<LedgerTotals>;
  readonly following: LastKnown<Following>;
  /** As web.title has it. */
  readonly title: () => string;
  /** What node.development says. */
  readonly development: Development;
  /** What miners are told; `undefined` before the rules of the ledger were read. */
  readonly terms: (isForDevelopment: boolean) => Terms | undefined;
  /** Settings of this bridge that are not the rules in force, in words; `undefined` before they were read. */
  readonly differingRules: () => readonly string[] | undefined;
  readonly timeline: TimelineView;
  readonly alerts: AlertsView;
  readonly signs: () => Promise<Signs>;
  readonly webUrl: () => string | undefined;
}

/** Of this bridge alone. Answers within a second whatever is away. */
export async function summarize(sources: SummarySources): Promise<Summary> {
  const [queue, ledger, following] = await Promise.all([
    sources.queue.look(),
    sources.ledger.look(),
    sources.following.look(),
  ]);
  const { version, works, ...totals } = totalsHere(sources);
  const instance = sources.instance() ?? null;
  const { sessions, hashesPerSecond } = totals;
  return {
    version,
    startedAt: new Date(sources.startedAtMs).toISOString(),
    instance,
    bridges: [{ instance, place: sources.place, ageMs: 0, sessions, hashesPerSecond }],
    nodes: nodesOf(sources),
    works,
    whyReleased: sources.whyReleased() ?? null,
    freshness: sources.freshness.report(),
    ports: [...sources.listeners().ports],
    rigs: countsOf(sources),
    ...totals,
    queue: { ...queue.value, isUp: queue.isUp && (queue.value?.isUp ?? false) },
    ledger: { ...ledger.value, isUp: ledger.isUp, differingRules: [...(sources.differingRules() ?? [])] },
    following: following.value,
    alerts: sources.alerts.open().length,
    web: sources.webUrl() ?? null,
  };
}

/** Of all bridges on the ledger, as far as they have shown it: that is asked for at the same time. */
export async function summarizeAll(sources: SummarySources): Promise<Summary> {
  const [own] = await Promise.all([summarize(sources), sources.bridges.look()]);
  const { bridges } = sources.bridges.others;
  const shown = bridges.flatMap(({ summary }) => summary ?? []);
  return {
    ...totalsTogether(own, shown),
    rigs: shown.map(({ rigs }) => rigs).reduce(countsTogether, own.rigs),
    nodes: nodesOfAll(sources),
    bridges: [
      ...own.bridges,
      ...bridges.map(({ instance, place, shownAtMs, summary }) => ({
        ...{ instance, place },
        ageMs: summary && shownAtMs !== undefined ? Math.round(performance.now() - shownAtMs) : null,
        sessions: summary?.sessions ?? null,
        hashesPerSecond: summary?.hashesPerSecond ?? null,
      })),
    ],
  };
}

/** Of all bridges. Waits for nobody, as anonymous users are many. */
export function publicSummary(sources: SummarySources): PublicSummary {
  void sources.bridges.look();
  const shown = sources.bridges.others.bridges.flatMap(({ summary }) => summary ?? []);
  return totalsTogether(totalsHere(sources), shown);
}

/** What whoever may look sees of the pool before he mines at it. */
export function poolOf(sources: SummarySources): Pool {
  const network = sources.nodes().find((node) => node.network !== '')?.network ?? '';
  const isDevelopment = isForDevelopment(network, sources.development);
  return {
    title: sources.title(),
    network,
    coin: coinOf(network),
    isDevelopment,
    ports: sources.listeners().ports.map(({ sessions: _, ...port }) => port),
    terms: sources.terms(isDevelopment) ?? null,
  };
}

function totalsHere(sources: SummarySources): PublicSummary {
  const { version, tally } = sources;
  return {
    version,
    works: worksOf(sources),
    sessions: tally.sessions,
    hashesPerSecond: Math.round(tally.hashesPerSecond),
    hashRates: ratesOf(tally.hashRates),
    submits: Object.fromEntries(
      OUTCOMES.map((name) => [name, tally.submits.get(name) ?? 0]),
    ) as Summary['submits'],
    solutions: { ...tally.solutions, pending: sources.pendingSolutions() },
  };
}

/** As all bridges have them. */
export function nodesOfAll(sources: Pick<SummarySources, 'nodes' | 'self' | 'bridges'>): Summary['nodes'] {
  const theirs = sources.bridges.others.bridges.flatMap(
    ({ instance, summary }) => summary?.nodes.map((node) => ({ ...node, bridge: instance })) ?? [],
  );
  return [...nodesOf(sources), ...theirs];
}

function nodesOf({ nodes, self }: Pick<SummarySources, 'nodes' | 'self'>): Summary['nodes'] {
  return nodes().map(({ cutHeight = null, silentMs, forks, ...report }) => ({
    ...report,
    bridge: self(),
    cutHeight,
    silentMs: silentMs === undefined ? null : Math.round(silentMs),
    forks: forks ? { ...forks, isFor: forks.isFor ?? null, agrees: forks.agrees ?? null } : null,
  }));
}

function countsOf({ rigs }: SummarySources): Summary['rigs'] {
  const { leased, resumable, bans, waiting, refused } = rigs.counts();
  return { leased, resumable, bans, waiting, refused };
}

export function worksOf({ liveJobs, tally }: Pick<SummarySources, 'liveJobs' | 'tally'>): Summary['works'] {
  const newest = new Map(liveJobs().map((job) => [job.work.chainId, job]));
  return Array.from(newest.values(), (job) => ({
    chainId: job.work.chainId,
    height: job.work.fields.height,
    blockDifficulty: difficultyOf(job.blockTarget).toString(),
    ageMs: Math.round(tally.ageMs(job)),
  }));
}

export function difficultiesOf(sources: Pick<SummarySources, 'liveJobs' | 'tally'>): bigint[] {
  return worksOf(sources).map(({ blockDifficulty }) => BigInt(blockDifficulty));
}
