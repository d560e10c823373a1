/** Series that are read when they are scraped. A series is there from the start, and ends with the process only. */
import { Counter, Gauge, type Registry } from 'prom-client';

export const PREFIX = 'stratum_bridge_';

type Labels = Readonly<Record<string, string>>;
/** `undefined` while the number is not known: the series says NaN, which no graph takes for zero. */
type Value = number | undefined;
export type Values = Value | readonly (readonly [labels: Labels, value: Value])[];
type Read<S> = (sources: S) => Values | Promise<Values>;

export interface Metric<S> {
  /** A counter only rises. */
  readonly kind: 'gauge' | 'counter';
  readonly help: string;
  readonly read: Read<S>;
  readonly labelNames: readonly string[];
}

export function gauge<S>(help: string, read: Read<S>, ...labelNames: string[]): Metric<S> {
  return { kind: 'gauge', help, read, labelNames };
}

export function counter<S>(help: string, read: Read<S>, ...labelNames: string[]): Metric<S> {
  return { kind: 'counter', help, read, labelNames };
}

export function register<S>(
  registry: Registry,
  metrics: Readonly<Record<string, Metric<S>>>,
  sources: S,
): void {
  for (const [name, { kind, help, read, labelNames }] of Object.entries(metrics)) {
    const options = { name: PREFIX + name, help, labelNames: [...labelNames], registers: [registry] };
    const values = async () => {
      const found = await read(sources);
      return typeof found === 'object' ? found : ([[{}, found]] as const);
    };
    if (kind === 'gauge')
      new Gauge({
        ...options,
        async collect() {
          const found = await values();
          this.reset();
          for (const [labels, value] of found) this.set(labels, value ?? Number.NaN);
        },
      });
    else
      new Counter({
        ...options,
        async collect() {
          const found = await values();
          this.reset();
          for (const [labels, value = 0] of found) this.inc(labels, value);
        },
      });
  }
}

/** Of each of these, under its name. */
export function labelled(label: string, values: Readonly<Record<string, Value>>): Values {
  return Object.entries(values).map(([key, value]) => [{ [label]: key }, value]);
}
