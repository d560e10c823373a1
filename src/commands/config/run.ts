/** What `config` prints. */

import { type Asked, OK } from '../../cli/line/command.js';
import type { Loaded } from '../../config/layers/load.js';
import { BRIDGE_SETTINGS, EVERY_SETTING } from '../../config/settings.js';
import { effectiveAsJson, showEffective } from '../../config/show/show.js';
import { defaultsAsYaml, minimalAsYaml } from '../../config/show/yaml.js';
import type { Settings } from '../../values/setting.js';
import { differingRulesAt } from '../doctor/running.js';
import type { CONFIG_SETTINGS } from './settings.js';

export async function run({ io, load }: Asked<typeof CONFIG_SETTINGS>): Promise<number> {
  const loaded = await load();
  const { defaults, minimal, json, dataDir } = loaded.config;
  if (defaults) io.stdout.write(defaultsAsYaml(EVERY_SETTING));
  else if (minimal) io.stdout.write(minimalAsYaml(EVERY_SETTING, loaded));
  else if (json || !io.stdout.isTTY)
    io.stdout.write(`${JSON.stringify(effectiveAsJson(shown(loaded), loaded), null, 2)}\n`);
  else io.stdout.write(onScreen(loaded, io.stdout.columns || 80));
  if (!defaults)
    for (const words of await differingRulesAt(dataDir))
      io.stderr.write(`stratum-bridge: ${words}: the ledger counts, and \`ledger rules set\` changes it\n`);
  return OK;
}

/** In a pipe nothing is cut: there it is JSON. */
function onScreen(loaded: Loaded<Settings>, columns: number): string {
  const text = showEffective(shown(loaded), loaded, columns);
  return text.includes('…') ? `${text}\n\n--json shows values whole that end in … here.\n` : `${text}\n`;
}

/** Of other commands only what is set: whoever runs a bridge does not look for a rig's threads. */
function shown({ sources }: Loaded<Settings>): Settings {
  const entries = Object.entries(EVERY_SETTING);
  return Object.fromEntries(
    entries.filter(([key]) => Object.hasOwn(BRIDGE_SETTINGS, key) || sources[key] !== 'default'),
  );
}
