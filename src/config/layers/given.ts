/** A value as an operator gave it. */
import type { Setting } from '../../values/setting.js';
import { withoutSecrets } from './secrets.js';

/** Where a value comes from: `default`, `file x.yaml`, `variable STRATUM_BRIDGE_…`, `flag --…`. */
export type Source = string;

export interface Given {
  /** As written. */
  readonly value: unknown;
  readonly source: Source;
}

/** A sentence about a value as it was given: key, value unless it is secret, source, and what is to be said. */
export function told(key: string, setting: Pick<Setting, 'secret'>, given: Given, says: string): string {
  const shown = withoutSecrets(setting, given.value);
  return `${key}: ${shown === '***' ? 'the value' : JSON.stringify(shown)} (${given.source}) ${says}`;
}
