/** Who is paid for blocks, from the settings. */

import { ConfigError } from '../../config/layers/config-error.js';
import type { BridgeConfig } from '../../config/settings.js';
import { nameFault } from '../../core/names/names.js';
import type { Miner } from '../../node-client/client.js';

const KEY_ACCOUNT = /^k:([0-9a-f]{64})$/;

/** Throws {@link ConfigError} when there is no account, or none of its keys is known. */
export function minerFrom(config: BridgeConfig): Miner {
  const account = config['miner.account'];
  if (account === '') {
    const advice = 'give --miner-account k:…; `stratum-bridge keygen` makes one';
    throw new ConfigError([`miner.account is not set: ${advice}`]);
  }
  const fault = nameFault({ account, rig: '' });
  if (fault) throw new ConfigError([`miner.account: ${fault}`]);
  const keyInName = KEY_ACCOUNT.exec(account)?.[1];
  const given = config['miner.publicKeys'];
  const publicKeys = given.length === 0 && keyInName ? [keyInName] : given;
  if (publicKeys.length === 0) {
    const advice = 'it is no k: account of 64 hex digits, so give --miner-public-keys for each';
    throw new ConfigError([
      `miner.publicKeys: none is known for the account ${JSON.stringify(account)}: ${advice}`,
    ]);
  }
  return { account, predicate: config['miner.predicate'], publicKeys };
}
