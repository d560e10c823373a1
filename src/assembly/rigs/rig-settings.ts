/** What the rigs' side takes from the settings and may be given anew while rigs are connected. */

import { type Port, portsOf } from '../../config/ports.js';
import type { BridgeConfig } from '../../config/settings.js';
import { VARDIFF_SETTINGS } from '../../core/shares/vardiff.js';
import type { AccountPolicy } from '../../stratum/admission/accounts.js';
import type { PortSettings, RigSettings } from '../../stratum/rig-rules.js';
import { limitsFrom } from './limits.js';
import { connectionsWithin } from './open-files.js';

/** @param files that this process may open. */
export function rigSettingsFrom(config: BridgeConfig, files: number): RigSettings {
  return {
    shareDifficulty: config['stratum.shareDifficulty'],
    accounts: accountsFrom(config),
    vardiff: {
      secondsPerShare: config['stratum.vardiff.interval'] / 1000,
      startDifficulty: config['stratum.vardiff.start'],
      minDifficulty: config['stratum.vardiff.min'],
      maxDifficulty: config['stratum.vardiff.max'],
      powersOfTwo: VARDIFF_SETTINGS.powersOfTwo,
    },
    agents: config['stratum.agents'],
    limits: { ...limitsFrom(config), ...connectionsWithin(config, files) },
    balancers: config['stratum.balancers'],
    allow: config['stratum.allow'],
    deny: config['stratum.deny'],
    ports: Object.fromEntries(portsOf(config).map((port) => [port.name, portSettingsFrom(port)])),
  };
}

/** A difficulty of its own to start at, or to stay within, is one of vardiff. */
function portSettingsFrom({ start, min, max, fixed, balancers, ...port }: Port): PortSettings {
  const vardiff = {
    ...(start === undefined ? {} : { startDifficulty: start }),
    ...(min === undefined ? {} : { minDifficulty: min }),
    ...(max === undefined ? {} : { maxDifficulty: max }),
  };
  const isSteered = Object.keys(vardiff).length > 0;
  const shareDifficulty = fixed ?? (isSteered ? 'vardiff' : undefined);
  const accounts = accountsAt(port);
  return {
    ...{ tls: port.tls, proxy: port.proxy, vardiff },
    ...{ allow: port.allow ?? [], deny: port.deny ?? [] },
    ...(shareDifficulty === undefined ? {} : { shareDifficulty }),
    ...(accounts === undefined ? {} : { accounts }),
    ...(balancers === undefined ? {} : { balancers }),
  };
}

function accountsAt({
  accounts: mode,
  list = [],
  passwords = {},
}: Pick<Port, 'accounts' | 'list' | 'passwords'>) {
  return mode && policyOf(mode, list, passwords);
}

function accountsFrom(config: BridgeConfig): AccountPolicy {
  const [list, passwords] = [config['stratum.accounts.list'], config['stratum.accounts.passwords']];
  return policyOf(config['stratum.accounts.mode'], list, passwords);
}

function policyOf(
  mode: AccountPolicy['mode'],
  accounts: readonly string[],
  passwords: Readonly<Record<string, string>>,
): AccountPolicy {
  if (mode === 'list') return { mode, accounts };
  if (mode === 'password') return { mode, passwords };
  return { mode };
}
