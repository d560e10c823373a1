/** What a recorder shows of itself, where one runs in a process of its own. */
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { LastKnown } from '../state/last-known.js';
import type { LedgerTotals } from '../state/summary.js';
import { type CountedQueue, ledgerSeries, queueSeries } from './metrics.js';
import { buildInfo, PREFIX } from './series.js';

export interface RecorderSources {
  readonly version: string;
  readonly queue: LastKnown<CountedQueue>;
  readonly ledger: LastKnown<LedgerTotals>;
  /** Entries since the start, by what became of them: `recorded`, and `repeated` for those recorded before. */
  readonly entries: () => Readonly<Record<string, number>>;
}

export function createRecorderMetrics({ version, queue, ledger, entries }: RecorderSources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  buildInfo(registry, version);
  queueSeries(registry, queue);
  ledgerSeries(registry, ledger);
  new Counter({
    name: `${PREFIX}recorder_entries_total`,
    help: 'Entries of the share queue, by what became of them',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(entries())) this.inc({ result }, count);
    },
  });
  return registry;
}

/** `undefined` when entries are recorded as they come. */
export async function recorderLacks({ queue, ledger }: RecorderSources): Promise<string | undefined> {
  const [ofQueue, ofLedger] = await Promise.all([queue.look(), ledger.look()]);
  const missing = [
    ...(ofLedger.isUp ? [] : ['the ledger does not answer']),
    ...(ofQueue.isUp && ofQueue.value?.isUp ? [] : ['the share queue does not answer']),
  ];
  return missing.length > 0 ? missing.join('; ') : undefined;
}
