/** What a recorder shows of itself, where one runs in a process of its own. */
import { collectDefaultMetrics, Registry } from 'prom-client';
import { LOOP_PRECISION_MS, SHARED, type SharedSources } from './metrics.js';
import { counter, labelled, type Metric, register } from './series.js';

export interface RecorderSources extends SharedSources {
  /** Entries since the start, by what became of them: `recorded`, and `repeated` for those recorded before. */
  readonly entries: () => Readonly<Record<string, number>>;
}

const METRICS: Readonly<Record<string, Metric<RecorderSources>>> = {
  ...SHARED,
  recorder_entries_total: counter(
    'Entries of the share queue, by what became of them',
    ({ entries }) => labelled('result', entries()),
    'result',
  ),
};

export function createRecorderMetrics(sources: RecorderSources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_PRECISION_MS });
  register(registry, METRICS, sources);
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
