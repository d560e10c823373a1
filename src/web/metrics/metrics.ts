/** The same numbers for Prometheus: what is counted elsewhere is a row each, and read when it is scraped. */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { CERTIFICATES, type Signs } from '../../alerts/signs.js';
import { TRIES } from '../../bridge/alerts.js';
import type { BridgeEvents, NodeReport } from '../../bridge/events.js';
import { FINAL_STATES } from '../../bridge/ports.js';
import { LOSSES } from '../../bridge/timeline/events.js';
import { NODE_STATES } from '../../operations/enums.js';
import { OUTCOMES } from '../../operations/state.js';
import type { LastKnown } from '../state/last-known.js';
import type { LedgerTotals, QueueStats, SummarySources } from '../state/summary.js';
import { counter, gauge, type Metric, PREFIX, register, type Values } from './series.js';

export interface SharedSources {
  readonly version: string;
  readonly queue: LastKnown<Pick<QueueStats, 'isUp' | 'waiting' | 'failed'>>;
  readonly ledger: LastKnown<LedgerTotals>;
}

/** What a recorder in a process of its own has, too. */
export const SHARED: Readonly<Record<string, Metric<SharedSources>>> = {
  build_info: gauge(
    'Always 1: the versions of this program and of Node.js',
    ({ version }) => [[{ version, node_version: process.version }, 1]],
    'version',
    'node_version',
  ),
  queue_up: gauge('1 while the share queue answers', async ({ queue }) => {
    const { value, isUp } = await queue.look();
    return Number(isUp && (value?.isUp ?? false));
  }),
  queue_waiting: gauge(
    'Entries that wait to be recorded',
    async ({ queue }) => (await queue.look()).value?.waiting,
  ),
  queue_failed: gauge(
    'Entries set aside, for people to look at',
    async ({ queue }) => (await queue.look()).value?.failed,
  ),
  ledger_up: gauge('1 while the ledger answers', async ({ ledger }) => Number((await ledger.look()).isUp)),
  ledger_shares: gauge(
    'Shares in the ledger; the last known number while it is away',
    async ({ ledger }) => (await ledger.look()).value?.shares,
  ),
};

const METRICS: Readonly<Record<string, Metric<SummarySources>>> = {
  sessions: gauge('Rigs connected', ({ tally }) => tally.sessions),
  hashes_per_second: gauge('From accepted shares of the last minute', ({ tally }) => tally.hashesPerSecond),
  solutions_pending: gauge('Solutions without an answer', ({ pendingSolutions }) => pendingSolutions()),
  stale_work_hashes_total: counter(
    'Expected hashes spent on work that was known to be stale later',
    ({ freshness }) => freshness.staleHashes,
  ),
  nonce1_leased: gauge('nonce1 values held, CPU threads included', ({ rigs }) => rigs.counts().leased),
  sessions_resumable: gauge('Ended sessions that may be resumed', ({ rigs }) => rigs.counts().resumable),
  bans: gauge('Bans in force', ({ rigs }) => rigs.counts().bans),
  connections_waiting: gauge('Waiting to be let in', ({ rigs }) => rigs.counts().waiting),
  connections_refused_total: counter('Connections not let in', ({ rigs }) => rigs.counts().refused),
  port_sessions: gauge(
    'Rigs connected, by the port that they came in by',
    ({ listeners }) => listeners().ports.map(({ name, sessions }) => [{ port: name }, sessions]),
    'port',
  ),
  queue_held_back: gauge(
    'Shares that wait in the share log on disk, as the queue takes none',
    ofQueue(({ heldBack }) => heldBack),
  ),
  shares_unshipped: gauge(
    'Acknowledged shares that are not in the queue yet',
    ofQueue(({ unshipped }) => unshipped),
  ),
  shares_unshipped_age_seconds: gauge(
    'Age of the oldest acknowledged share that is not in the queue yet; 0 while there is none',
    ofQueue(({ oldestMs }) => oldestMs && oldestMs / 1000),
  ),
  share_log_bytes: gauge(
    'Size of the share log on disk',
    ofQueue(({ logBytes }) => logBytes),
  ),
  solutions_unkept: gauge(
    'Solutions that the disk does not take: they are in memory alone',
    ofQueue(({ unkeptSolutions }) => unkeptSolutions),
  ),
  timeline_waiting: gauge(
    'Lines of the timeline that wait for the ledger',
    ({ timeline }) => timeline.waiting,
  ),
  timeline_lines_lost_total: counter(
    'Lines missing in the ledger, in events.file, or not told because there were too many of a kind',
    ({ timeline }) => LOSSES.map((why) => [{ why }, timeline.lost[why]]),
    'why',
  ),
  // A node's series is named by its URL alone: what changes about the node is a value, or stands in its own series.
  node_healthy: ofNodes('1 while the node gives work', ({ state }) => Number(state === 'healthy')),
  node_active: ofNodes('1 for the node that rigs work for', ({ isActive }) => Number(isActive)),
  node_chains: ofNodes('Chains with live work of the node', ({ chains }) => chains),
  node_state: gauge(
    '1 for the state that the node is in, 0 for the others',
    ({ nodes }) =>
      nodes().flatMap(({ url, state }) =>
        NODE_STATES.map((possible) => [{ url, state: possible }, Number(possible === state)] as const),
      ),
    'url',
    'state',
  ),
  node_info: gauge(
    'Always 1: the network that the node is of, once that is known',
    ({ nodes }) => nodes().flatMap(({ url, network }) => (network ? [[{ url, network }, 1] as const] : [])),
    'url',
    'network',
  ),
  node_requests_total: counter(
    'Requests for work, streams and probes',
    ({ nodes }) => nodes().map(({ url, requests }) => [{ url }, requests]),
    'url',
  ),
  fresh_job_age_seconds: gauge(
    'Since the newest fresh job, or the start',
    sign(({ jobAgeMs }) => jobAgeMs / 1000),
  ),
  disk_free_bytes: gauge(
    'Room on the disk that has the data directory',
    sign(({ diskFreeBytes }) => diskFreeBytes),
  ),
  fork_votes_differ: gauge(
    '1 while nodes vote differently on a fork; NaN while none can be compared',
    sign(({ forkVotesDiffer }) => (forkVotesDiffer === undefined ? undefined : Number(forkVotesDiffer))),
  ),
  certificate_ends_in_seconds: gauge(
    'Until the certificate ends; NaN where there is none',
    sign(({ certificates }) =>
      CERTIFICATES.map((of) => {
        const found = certificates.find((each) => each.of === of);
        return [{ of }, found && found.endsInMs / 1000];
      }),
    ),
    'of',
  ),
  alerts_open: gauge('Open alerts, as far as this bridge knows', ({ alerts }) => alerts.open().length),
  alert_tries_total: counter(
    'Notices that were sent to targets of the settings, by what became of them',
    ({ alerts }) => TRIES.map((outcome) => [{ outcome }, alerts.tries[outcome]]),
    'outcome',
  ),
};

function ofQueue(of: (stats: QueueStats) => number | undefined) {
  return async ({ queue }: Pick<SummarySources, 'queue'>): Promise<Values> => {
    const { value } = await queue.look();
    return value && of(value);
  };
}

function ofNodes(help: string, of: (node: NodeReport) => number): Metric<SummarySources> {
  return gauge(help, ({ nodes }) => nodes().map((node) => [{ url: node.url }, of(node)]), 'url');
}

function sign(of: (signs: Signs) => Values) {
  return async ({ signs }: Pick<SummarySources, 'signs'>): Promise<Values> => of(await signs());
}

/** How late the event loop is, is looked at so often: each look wakes a process that has nothing to do, and what holds it up for longer is seen in any case. */
export const LOOP_PRECISION_MS = 1_000;

/** A registry that follows the events; what others count is read when it is scraped. */
export function createMetrics(events: BridgeEvents, sources: SummarySources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_PRECISION_MS });
  register(registry, SHARED, sources);
  countEvents(registry, events);
  register(registry, METRICS, sources);
  timeEvents(registry, events);
  return registry;
}

function countEvents(registry: Registry, events: BridgeEvents): void {
  const count = (name: string, help: string): Counter =>
    new Counter({ name: PREFIX + name, help, registers: [registry] });
  /** By one label, with each of its values at zero from the start: otherwise the first one is no increase. */
  const countBy = <L extends string>(name: string, help: string, label: L, values: readonly string[]) => {
    const counted = new Counter({ name: PREFIX + name, help, labelNames: [label], registers: [registry] });
    for (const value of values) counted.inc({ [label]: value } as Record<L, string>, 0);
    return counted;
  };
  const submits = countBy('submits_total', 'Submits by outcome', 'outcome', OUTCOMES);
  const work = count('accepted_work_hashes_total', 'Expected hashes of accepted shares');
  const jobs = countBy('jobs_total', 'Jobs by kind', 'clean', ['true', 'false']);
  const found = count('solutions_found_total', 'Solutions sent to a node');
  const settled = countBy('solutions_settled_total', 'Solutions by their last state', 'state', FINAL_STATES);
  const superseded = count('solutions_superseded_total', 'Solutions of a work that was solved already');
  const transports = ['ws', 'tcp', 'cpu'];
  const opened = countBy('sessions_opened_total', 'Connections of rigs', 'transport', transports);
  events.on('submit', ({ outcome, difficulty }) => {
    submits.inc({ outcome });
    if (difficulty !== undefined) work.inc(Number(difficulty));
  });
  events.on('job', (job) => jobs.inc({ clean: String(job.clean) }));
  events.on('solutionFound', () => found.inc());
  events.on('solutionSettled', (_solution, state) => settled.inc({ state }));
  events.on('solutionSuperseded', () => superseded.inc());
  events.on('sessionOpened', ({ transport }) => opened.inc({ transport }));
}

function timeEvents(registry: Registry, events: BridgeEvents): void {
  const jobs = new Histogram({
    name: `${PREFIX}job_delay_seconds`,
    help: 'From New Cut heard, or a block seen, to the job written to the last session',
    labelNames: ['clean'],
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers: [registry],
  });
  for (const clean of ['true', 'false']) jobs.zero({ clean });
  events.on('jobSent', ({ clean }, delayMs) => jobs.observe({ clean: String(clean) }, delayMs / 1000));
  events.on('chainsRetired', (_chainIds, delayMs) => jobs.observe({ clean: 'true' }, delayMs / 1000));
  const answers = new Histogram({
    name: `${PREFIX}submit_answer_seconds`,
    help: 'From a submit read to its answer written; an accepted one is durable by then',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers: [registry],
  });
  events.on('submit', ({ tookMs }) => {
    if (tookMs !== undefined) answers.observe(tookMs / 1000);
  });
}
