/** The effective settings, each with its source. */
import type { Source } from '../layers/given.js';
import type { Loaded } from '../layers/load.js';
import { withoutSecrets } from '../layers/secrets.js';
import type { Setting, Settings } from '../settings/setting.js';

/** As it was written, and by whom; without secrets. */
export interface Effective {
  readonly value: unknown;
  readonly source: Source;
}

/** Of one setting in one reading of all. */
export function effectiveValue(
  key: string,
  setting: Pick<Setting, 'secret'>,
  { written, sources }: Pick<Loaded<Settings>, 'written' | 'sources'>,
): Effective {
  return { value: withoutSecrets(setting, written[key]), source: sources[key] ?? 'default' };
}

/** `key = value  (source)` a line. */
export function showEffective<S extends Settings>(settings: S, loaded: Loaded<S>): string {
  const rows = Object.entries(settings).map(([key, setting]) => {
    const { value, source } = effectiveValue(key, setting, loaded);
    return { left: `${key} = ${JSON.stringify(value)}`, source };
  });
  const width = Math.max(...rows.map((row) => row.left.length));
  return rows.map((row) => `${row.left.padEnd(width)}  (${row.source})`).join('\n');
}

export function effectiveAsJson<S extends Settings>(settings: S, loaded: Loaded<S>): object {
  return Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => [key, effectiveValue(key, setting, loaded)]),
  );
}
