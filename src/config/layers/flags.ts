/** What was given on a command line, as a layer of values. */

import type { Settings } from '../../values/setting.js';
import { flagName } from '../names.js';
import type { Given } from './given.js';

/** By flag, without dashes: text, a list of texts, or true and false. */
export type FlagValues = Readonly<Record<string, unknown>>;

/** The flag that names a file of settings; itself no setting. */
export const CONFIG_FLAG = 'config';

/** By key, each with its source. */
export function layerOfFlags(settings: Settings, flags: FlagValues): Map<string, Given> {
  const layer = new Map<string, Given>();
  for (const [key, { noFlag }] of Object.entries(settings)) {
    const flag = flagName(key);
    const value = Object.hasOwn(flags, flag) ? flags[flag] : undefined;
    if (noFlag || value === undefined) continue;
    layer.set(key, { value, source: `flag --${value === false ? 'no-' : ''}${flag}` });
  }
  return layer;
}
