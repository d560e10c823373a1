/** The effective settings, each with its source. */

import cliTruncate from 'cli-truncate';
import stringWidth from 'string-width';
import type { Setting, Settings } from '../../values/setting.js';
import type { Source } from '../layers/given.js';
import type { Loaded } from '../layers/load.js';
import { withoutSecrets } from '../layers/secrets.js';

/** As it was written, and by whom; without secrets. */
interface Effective {
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

/** `key = value  (source)` a line of at most `width` columns: what is longer is cut in its value, and ends in …. */
export function showEffective<S extends Settings>(
  settings: S,
  loaded: Loaded<S>,
  width = Number.POSITIVE_INFINITY,
): string {
  const rows = Object.entries(settings).map(([key, setting]) => {
    const { value, source } = effectiveValue(key, setting, loaded);
    const [left, right] = [`${key} = ${JSON.stringify(value)}`, `  (${source})`];
    const room = Math.max(key.length + 4, width - right.length);
    return `${stringWidth(left) > room ? cliTruncate(left, room) : left}${right}`;
  });
  return rows.map((row) => (stringWidth(row) > width ? cliTruncate(row, width) : row)).join('\n');
}

export function effectiveAsJson<S extends Settings>(settings: S, loaded: Loaded<S>): object {
  return Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => [key, effectiveValue(key, setting, loaded)]),
  );
}
