/** Of each process of the bridge what has no sum, for Prometheus. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ProcessReport } from '../state/processes.js';
import type { SummarySources } from '../state/summary.js';
import { PREFIX } from './series.js';

const GAUGES: readonly (readonly [name: string, help: string, of: (report: ProcessReport) => number])[] = [
  ['sessions', 'Rigs connected to this process of the bridge', ({ sessions }) => sessions],
  ['up', '1 while the process answers', ({ state }) => Number(state === 'up')],
  ['resident_bytes', 'Memory of this process of the bridge', ({ rssBytes }) => rssBytes],
  [
    'loop_delay_seconds',
    'Longest delay of its event loop in the last second',
    ({ loopDelayMs }) => loopDelayMs / 1000,
  ],
];

export function processSeries(registry: Registry, { processes }: Pick<SummarySources, 'processes'>): void {
  const place = { labelNames: ['process'], registers: [registry] };
  for (const [name, help, of] of GAUGES)
    new Gauge({
      ...{ name: `${PREFIX}process_${name}`, help, ...place },
      collect() {
        this.reset();
        for (const report of processes()) this.set({ process: labelOf(report) }, of(report));
      },
    });
  new Counter({
    ...{ name: `${PREFIX}process_cpu_seconds_total`, help: 'Time of processors', ...place },
    collect() {
      this.reset();
      for (const report of processes()) this.inc({ process: labelOf(report) }, report.cpuSeconds);
    },
  });
}

function labelOf({ kind, number }: ProcessReport): string {
  return kind === 'front' ? `front ${number}` : kind;
}
