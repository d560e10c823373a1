/** Series that are read when they are scraped. A series is there from the start, and ends with the process only. */
import { Counter, Gauge, type Registry } from 'prom-client';

export const PREFIX = 'stratum_bridge_';

/** `undefined` while the number is not known: the series says NaN, which no graph takes for zero. */
type Read = () => number | undefined | Promise<number | undefined>;

export function readGauge(registry: Registry, name: string, help: string, read: Read): void {
  new Gauge({
    name: PREFIX + name,
    help,
    registers: [registry],
    async collect() {
      this.set((await read()) ?? Number.NaN);
    },
  });
}

/** What only rises, and is counted elsewhere. */
export function readCounter(registry: Registry, name: string, help: string, read: Read): void {
  new Counter({
    name: `${PREFIX}${name}_total`,
    help,
    registers: [registry],
    async collect() {
      const value = await read();
      this.reset();
      this.inc(value ?? 0);
    },
  });
}

/** A counter by one label, with each of its values at zero from the start: otherwise the first one is no increase. */
export function countBy<L extends string>(
  registry: Registry,
  name: string,
  help: string,
  label: L,
  values: readonly string[],
): Counter<L> {
  const counter = new Counter({ name: PREFIX + name, help, labelNames: [label], registers: [registry] });
  for (const value of values) counter.inc({ [label]: value } as Record<L, string>, 0);
  return counter;
}

/** Always 1: the versions stand in its labels. */
export function buildInfo(registry: Registry, version: string): void {
  new Gauge({
    name: `${PREFIX}build_info`,
    help: 'Versions of this program and of Node.js',
    labelNames: ['version', 'node_version'],
    registers: [registry],
  }).set({ version, node_version: process.version }, 1);
}
