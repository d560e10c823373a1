/** `config check`: whether settings are right, before anything is started with them. */

import { checkSetup } from '../../assembly/setup-checks.js';
import { type Asked, OK } from '../../cli/line/command.js';
import { warningsOf } from '../../config/checks.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { CONFIG_FLAG } from '../../config/layers/flags.js';
import type { Source } from '../../config/layers/given.js';
import { examineConfig } from '../../config/layers/load.js';
import { CHECKED_SETTINGS } from './settings.js';

type Checking = Pick<Asked<typeof CHECKED_SETTINGS>, 'words' | 'flags' | 'io'>;

/** Throws {@link ConfigError} with all that is wrong. */
export async function check({ words: [file], flags, io }: Checking): Promise<number> {
  const given = file === undefined ? flags : { ...flags, [CONFIG_FLAG]: file };
  const { loaded, problems } = examineConfig(CHECKED_SETTINGS, { flags: given, env: io.env });
  const hasAccount = loaded.config['miner.account'] !== '';
  const mayAsk = ![...loaded.faulty].some((key) => key.startsWith('miner.'));
  const all = [...problems, ...(await checkSetup(loaded, hasAccount && mayAsk)).problems];
  if (all.length > 0) throw new ConfigError(all);
  for (const warning of warningsOf(loaded.config)) io.stderr.write(`stratum-bridge: ${warning}\n`);
  io.stdout.write(`${verdict(Object.values(loaded.sources), hasAccount)}\n`);
  return OK;
}

function verdict(sources: readonly Source[], hasAccount: boolean): string {
  const count = new Map<string, number>();
  for (const each of sources.map(originOf)) count.set(each, (count.get(each) ?? 0) + 1);
  const parts = [...count].map(([origin, settings]) => `${settings} ${origin}`).join(', ');
  const looked = `Looked at each value (${parts}), at what must agree between them, and at the files that they name.`;
  const missing = '\nminer.account is not set: `serve` needs it, `demo` makes one.';
  return `Nothing is wrong. ${looked}${hasAccount ? '' : missing}`;
}

function originOf(source: Source): string {
  if (source === 'default') return 'by default';
  if (source.startsWith('flag ')) return 'from flags';
  return /(^|\()variable \w+\)?$/.test(source) ? 'from variables' : `from ${source}`;
}
