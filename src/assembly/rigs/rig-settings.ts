/** What the rigs' side takes from the settings and may be given anew while rigs are connected. */
import type { BridgeConfig } from '../../config/settings/settings.js';
import type { AccountPolicy } from '../../stratum/door/accounts.js';
import { STRATUM_LIMITS, type StratumLimits } from '../../stratum/door/limits.js';
import type { RigSettings } from '../../stratum/rig-rules.js';
import { connectionsWithin } from './open-files.js';

/** @param files that this process may open. */
export function rigSettingsFrom(config: BridgeConfig, files: number): RigSettings {
  return {
    shareDifficulty: config['stratum.shareDifficulty'],
    accounts: accountsFrom(config),
    vardiff: {
      secondsPerShare: config['stratum.vardiff.secondsPerShare'],
      startDifficulty: config['stratum.vardiff.startDifficulty'],
      minDifficulty: config['stratum.vardiff.minDifficulty'],
      maxDifficulty: config['stratum.vardiff.maxDifficulty'],
      powersOfTwo: config['stratum.vardiff.powersOfTwo'],
    },
    agents: config['stratum.agents'],
    limits: { ...limitsFrom(config), connections: connectionsWithin(config, files) },
  };
}

function accountsFrom(config: BridgeConfig): AccountPolicy {
  const mode = config['stratum.accounts.mode'];
  const [accounts, passwords] = [config['stratum.accounts.list'], config['stratum.accounts.passwords']];
  if (mode === 'list') return { mode, accounts };
  if (mode === 'password') return { mode, passwords };
  return { mode };
}

function limitsFrom(config: BridgeConfig): StratumLimits {
  const names = Object.keys(STRATUM_LIMITS) as (keyof StratumLimits)[];
  return Object.fromEntries(
    names.map((name) => [name, config[`stratum.limits.${name}`]]),
  ) as unknown as StratumLimits;
}
