/** The same numbers for Prometheus. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { BridgeEvents, NodeReport } from '../bridge/events.js';
import { type SummarySources, withoutPassword } from './summary.js';

const PREFIX = 'stratum_bridge_';

/** A registry that follows the events; gauges are read when it is scraped. */
export function createMetrics(events: BridgeEvents, sources: SummarySources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  countEvents(registry, events);
  gauge(registry, 'sessions', 'Rigs connected', () => sources.tally.sessions);
  gauge(
    registry,
    'hashes_per_second',
    'From accepted shares of the last minute',
    () => sources.tally.hashesPerSecond,
  );
  gauge(registry, 'solutions_pending', 'Solutions without an answer', () => sources.pendingSolutions());
  gauge(
    registry,
    'queue_waiting',
    'Entries that wait to be recorded',
    async () => (await sources.queue()).waiting,
  );
  gauge(registry, 'queue_spooled', 'Shares on the spool', async () => (await sources.queue()).spooled);
  gauge(registry, 'ledger_shares', 'Shares in the ledger', async () => (await sources.ledger()).shares);
  gauge(
    registry,
    'stale_work_hashes',
    'Expected hashes spent on work that was known to be stale later, since the start',
    () => sources.freshness.staleHashes,
  );
  const counts = () => sources.rigs()?.counts();
  gauge(registry, 'nonce1_leased', 'nonce1 values held, CPU threads included', () => counts()?.leased ?? 0);
  gauge(registry, 'sessions_parked', 'Ended sessions that may be resumed', () => counts()?.parked ?? 0);
  gauge(registry, 'bans', 'Bans in force', () => counts()?.bans ?? 0);
  gauge(registry, 'connections_waiting', 'Waiting to be let in', () => counts()?.waiting ?? 0);
  gauge(registry, 'connections_refused', 'Not let in since the start', () => counts()?.refused ?? 0);
  delays(registry, events);
  nodeGauges(registry, sources);
  return registry;
}

function countEvents(registry: Registry, events: BridgeEvents): void {
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]): Counter<L> =>
    new Counter({ name: PREFIX + name, help, labelNames, registers: [registry] });
  const submits = counter('submits_total', 'Submits by outcome', 'outcome');
  const work = counter('accepted_work_hashes_total', 'Expected hashes of accepted shares');
  const jobs = counter('jobs_total', 'Jobs by kind', 'clean');
  const found = counter('solutions_found_total', 'Solutions sent to a node');
  const settled = counter('solutions_settled_total', 'Solutions by their last state', 'state');
  const superseded = counter('solutions_superseded_total', 'Solutions of a work that was solved already');
  const opened = counter('sessions_opened_total', 'Connections of rigs', 'transport');
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

function gauge(registry: Registry, name: string, help: string, read: () => number | Promise<number>): void {
  new Gauge({
    name: PREFIX + name,
    help,
    registers: [registry],
    async collect() {
      this.set(await read());
    },
  });
}

function delays(registry: Registry, events: BridgeEvents): void {
  const histogram = new Histogram({
    name: `${PREFIX}job_delay_seconds`,
    help: 'From New Cut heard, or a block seen, to the job written to the last session',
    labelNames: ['clean'],
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    registers: [registry],
  });
  events.on('jobSent', ({ clean }, delayMs) => histogram.observe({ clean: String(clean) }, delayMs / 1000));
  events.on('chainsRetired', (_chainIds, delayMs) => histogram.observe({ clean: 'true' }, delayMs / 1000));
}

function nodeGauges(registry: Registry, sources: SummarySources): void {
  const each = (name: string, help: string, read: (node: NodeReport) => number): void => {
    new Gauge({
      name: `${PREFIX}node_${name}`,
      help,
      labelNames: ['url', 'network', 'state'],
      registers: [registry],
      collect() {
        this.reset();
        for (const node of sources.nodes()) {
          const { network, state } = node;
          this.set({ url: withoutPassword(node.url), network, state }, read(node));
        }
      },
    });
  };
  each('healthy', '1 while the node gives work', ({ state }) => (state === 'healthy' ? 1 : 0));
  each('active', '1 for the node that rigs work for', ({ isActive }) => (isActive ? 1 : 0));
  each('chains', 'Chains with live work of the node', ({ chains }) => chains);
  each('requests', 'Requests for work, streams and probes since the start', ({ requests }) => requests);
}
