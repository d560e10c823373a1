/** The same numbers for Prometheus. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { BridgeEvents, NodeReport } from '../../bridge/events.js';
import { FINAL_STATES } from '../../bridge/ports.js';
import { LOSSES } from '../../bridge/timeline/happenings.js';
import { NODE_STATES } from '../../operations/enums.js';
import { OUTCOMES } from '../../operations/state.js';
import type { LastKnown } from '../state/last-known.js';
import type { LedgerTotals, QueueStats, SummarySources } from '../state/summary.js';
import { alertSeries } from './alert-series.js';
import { payerSeries } from './payer-series.js';
import { buildInfo, countBy, PREFIX, readCounter, readGauge } from './series.js';

/** A registry that follows the events; what others count is read when it is scraped. */
export function createMetrics(events: BridgeEvents, sources: SummarySources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  buildInfo(registry, sources.version);
  countEvents(registry, events);
  bridgeSeries(registry, sources);
  rigSeries(registry, sources);
  queueSeries(registry, sources.queue);
  shareLogSeries(registry, sources.queue);
  ledgerSeries(registry, sources.ledger);
  timelineSeries(registry, sources);
  delays(registry, events);
  nodeSeries(registry, sources);
  alertSeries(registry, sources);
  payerSeries(registry, sources);
  return registry;
}

function shareLogSeries(registry: Registry, queue: SummarySources['queue']): void {
  const gauge = (name: string, help: string, of: (stats: QueueStats) => number | undefined): void =>
    readGauge(registry, name, help, async () => {
      const { value } = await queue.look();
      return value && of(value);
    });
  const waits = 'Shares that wait in the share log on disk, as the queue takes none';
  gauge('queue_held_back', waits, ({ heldBack }) => heldBack);
  gauge('shares_unshipped', 'Acknowledged shares that are not in the queue yet', (stats) => stats.unshipped);
  const oldest = 'Age of the oldest acknowledged share that is not in the queue yet; 0 while there is none';
  gauge('shares_unshipped_age_seconds', oldest, ({ oldestMs }) => oldestMs && oldestMs / 1000);
  gauge('share_log_bytes', 'Size of the share log on disk', (stats) => stats.logBytes);
}

function countEvents(registry: Registry, events: BridgeEvents): void {
  const counter = (name: string, help: string): Counter =>
    new Counter({ name: PREFIX + name, help, registers: [registry] });
  const submits = countBy(registry, 'submits_total', 'Submits by outcome', 'outcome', OUTCOMES);
  const work = counter('accepted_work_hashes_total', 'Expected hashes of accepted shares');
  const jobs = countBy(registry, 'jobs_total', 'Jobs by kind', 'clean', ['true', 'false']);
  const found = counter('solutions_found_total', 'Solutions sent to a node');
  const settled = countBy(
    registry,
    'solutions_settled_total',
    'Solutions by their last state',
    'state',
    FINAL_STATES,
  );
  const superseded = counter('solutions_superseded_total', 'Solutions of a work that was solved already');
  const opened = countBy(registry, 'sessions_opened_total', 'Connections of rigs', 'transport', [
    'ws',
    'tcp',
    'cpu',
  ]);
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

function bridgeSeries(registry: Registry, { tally, freshness, pendingSolutions }: SummarySources): void {
  readGauge(registry, 'sessions', 'Rigs connected', () => tally.sessions);
  readGauge(
    registry,
    'hashes_per_second',
    'From accepted shares of the last minute',
    () => tally.hashesPerSecond,
  );
  readGauge(registry, 'solutions_pending', 'Solutions without an answer', pendingSolutions);
  readCounter(
    registry,
    'stale_work_hashes',
    'Expected hashes spent on work that was known to be stale later',
    () => freshness.staleHashes,
  );
}

function rigSeries(registry: Registry, { rigs, doors }: SummarySources): void {
  const counts = () => rigs.counts();
  readGauge(registry, 'nonce1_leased', 'nonce1 values held, CPU threads included', () => counts().leased);
  readGauge(registry, 'sessions_parked', 'Ended sessions that may be resumed', () => counts().parked);
  readGauge(registry, 'bans', 'Bans in force', () => counts().bans);
  readGauge(registry, 'connections_waiting', 'Waiting to be let in', () => counts().waiting);
  readCounter(registry, 'connections_refused', 'Connections not let in', () => counts().refused);
  new Gauge({
    name: `${PREFIX}port_sessions`,
    help: 'Rigs connected, by the port that they came in by',
    labelNames: ['port'],
    registers: [registry],
    collect() {
      for (const { name, sessions } of doors().ports) this.set({ port: name }, sessions);
    },
  });
}

export type CountedQueue = Pick<QueueStats, 'isUp' | 'waiting' | 'failed'>;

export function queueSeries(registry: Registry, queue: LastKnown<CountedQueue>): void {
  const read = async (name: 'waiting' | 'failed') => (await queue.look()).value?.[name];
  readGauge(registry, 'queue_up', '1 while the share queue answers', async () => {
    const { value, isUp } = await queue.look();
    return Number(isUp && (value?.isUp ?? false));
  });
  readGauge(registry, 'queue_waiting', 'Entries that wait to be recorded', () => read('waiting'));
  readGauge(registry, 'queue_failed', 'Entries set aside, for people to look at', () => read('failed'));
}

export function ledgerSeries(registry: Registry, ledger: LastKnown<LedgerTotals>): void {
  readGauge(registry, 'ledger_up', '1 while the ledger answers', async () =>
    Number((await ledger.look()).isUp),
  );
  readGauge(
    registry,
    'ledger_shares',
    'Shares in the ledger; the last known number while it is away',
    async () => (await ledger.look()).value?.shares,
  );
}

function timelineSeries(registry: Registry, { timeline }: SummarySources): void {
  readGauge(
    registry,
    'timeline_waiting',
    'Lines of the timeline that wait for the ledger',
    () => timeline.waiting,
  );
  new Counter({
    name: `${PREFIX}timeline_lines_lost_total`,
    help: 'Lines missing in the ledger, in events.file, or not told because there were too many of a kind',
    labelNames: ['why'],
    registers: [registry],
    collect() {
      this.reset();
      for (const why of LOSSES) this.inc({ why }, timeline.lost[why]);
    },
  });
}

function delays(registry: Registry, events: BridgeEvents): void {
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

/** A node's series is named by its URL alone: what changes about the node is a value, or stands in its own series. */
function nodeSeries(registry: Registry, sources: SummarySources): void {
  const { nodes } = sources;
  const each = (name: string, help: string, read: (node: NodeReport) => number): void => {
    new Gauge({
      name: `${PREFIX}node_${name}`,
      help,
      labelNames: ['url'],
      registers: [registry],
      collect() {
        for (const node of nodes()) this.set({ url: node.url }, read(node));
      },
    });
  };
  each('healthy', '1 while the node gives work', ({ state }) => Number(state === 'healthy'));
  each('active', '1 for the node that rigs work for', ({ isActive }) => Number(isActive));
  each('chains', 'Chains with live work of the node', ({ chains }) => chains);
  new Gauge({
    name: `${PREFIX}node_state`,
    help: '1 for the state that the node is in, 0 for the others',
    labelNames: ['url', 'state'],
    registers: [registry],
    collect() {
      for (const { url, state } of nodes())
        for (const possible of NODE_STATES) this.set({ url, state: possible }, Number(possible === state));
    },
  });
  new Gauge({
    name: `${PREFIX}node_info`,
    help: 'Always 1: the network that the node is of, once that is known',
    labelNames: ['url', 'network'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { url, network } of nodes()) if (network) this.set({ url, network }, 1);
    },
  });
  new Counter({
    name: `${PREFIX}node_requests_total`,
    help: 'Requests for work, streams and probes',
    labelNames: ['url'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { url, requests } of nodes()) this.inc({ url }, requests);
    },
  });
}
