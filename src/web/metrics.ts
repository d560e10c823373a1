/** The same numbers for Prometheus. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { BridgeEvents } from '../bridge/events.js';
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
  nodeGauge(registry, sources);
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

function nodeGauge(registry: Registry, sources: SummarySources): void {
  new Gauge({
    name: `${PREFIX}node_healthy`,
    help: '1 while the node gives work',
    labelNames: ['url', 'network', 'state'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { url, network, state } of sources.nodes()) {
        this.set({ url: withoutPassword(url), network, state }, state === 'healthy' ? 1 : 0);
      }
    },
  });
}
