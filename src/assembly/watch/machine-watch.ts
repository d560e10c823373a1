/** What is asked of any bridge of this machine and told of all of them: metrics, and whether one lets rigs in. */
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { MachineWatch } from '../../bridge/watch/machine-watch.js';
import type { Refused } from '../../operations/entry/operation.js';
import type { Replacement } from '../../operations/replace.js';
import type { Machine } from '../machine.js';
import type { MachineDrain } from '../rigs/machine-drain.js';

type MetricsJson = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Of several bridges each has a label by which its series are apart. */
export function metricsOf(
  machine: Machine,
  instance: () => number | undefined,
  registry: Registry,
): Pick<Registry, 'contentType' | 'metrics'> {
  if (!machine.isOneOfSeveral) return registry;
  machine.answer('metrics', () => {
    registry.setDefaultLabels({ bridge: String(instance() ?? '') });
    return registry.getMetricsAsJSON();
  });
  return {
    contentType: registry.contentType,
    metrics: async () => {
      const all = (await machine.askAll('metrics')) as MetricsJson[];
      // No two have the same labels, so nothing is summed up or left out.
      const apart = all.map((metrics) => metrics.map((metric) => ({ ...metric, aggregator: 'first' })));
      return AggregatorRegistry.aggregate(apart).metrics();
    },
  };
}

const ALONE: Refused = {
  refused: 'busy',
  why: 'this bridge has no primary that could replace it: start it with --processes 1, or more; or stop it and start it again, by systemd with its sockets or behind a balancer where no rig is to be refused meanwhile',
};

/** @param missingHere why this bridge lets no rigs in. */
export function machineWatch(
  machine: Machine,
  drain: Pick<MachineDrain, 'report'>,
  missingHere: () => string | undefined,
): MachineWatch {
  machine.answer('missing', () => missingHere() ?? '');
  const ofPrimary = async <T>(question: string, about?: unknown): Promise<T | undefined> => {
    if (!machine.isOneOfSeveral) return undefined;
    const [answer] = await machine.askAll(question, about);
    return answer as T | undefined;
  };
  return {
    drain: drain.report,
    missing: async () => {
      const [own, ...others] = await machine.askAll('missing');
      return [own, ...others].includes('') ? undefined : String(own ?? 'the primary does not answer');
    },
    replace: async (_, by) => (await ofPrimary<Replacement | Refused>('replace', by)) ?? ALONE,
    replacement: () => ofPrimary<Replacement>('replacement'),
  };
}
