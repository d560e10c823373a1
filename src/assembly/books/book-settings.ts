/** What books and queue take from the settings. */

import type { BridgeConfig } from '../../config/settings.js';
import type { Rules } from '../../ledger/rules/rules-json.js';
import type { REWARD_SETTINGS } from '../../ledger/settings.js';
import type { RewardRules } from '../../ledger/settlement/reward-rules.js';
import type { QueueConnection } from '../../queue/bullmq/connection.js';
import type { ConfigOf } from '../../values/setting.js';

export function queueConnectionFrom(
  config: Pick<BridgeConfig, 'queue.redisUrl'>,
  databaseUrl: string,
): QueueConnection {
  const redisUrl = config['queue.redisUrl'];
  if (redisUrl) return { backend: 'redis', url: redisUrl };
  return { backend: 'postgres', connectionString: databaseUrl };
}

export const RULE_KEYS = {
  scheme: 'rewards.scheme',
  feeBasisPoints: 'rewards.fee',
  pplnsWindow: 'rewards.pplnsWindow',
  schedule: 'rewards.schedule',
  poolAccounts: 'rewards.poolAccounts',
  chainDepth: 'chain.depth',
  chainNodes: 'chain.nodes',
  patienceMs: 'rewards.patience',
  keepRigsMs: 'ledger.retention.rigs',
  keepAccountsMs: 'ledger.retention.accounts',
} as const satisfies Record<keyof Rules, keyof typeof REWARD_SETTINGS>;

/** Those rules that somebody has set: a file, a variable or a flag, and no default. */
export function setRulesFrom(
  config: ConfigOf<typeof REWARD_SETTINGS>,
  isSet: (key: string) => boolean,
): Partial<Rules> {
  const set = Object.entries(RULE_KEYS).filter(([, key]) => isSet(key));
  return Object.fromEntries(set.map(([rule, key]) => [rule, config[key]]));
}

export function rewardRulesFrom(
  config: ConfigOf<typeof REWARD_SETTINGS> & Pick<BridgeConfig, 'miner.account'>,
): RewardRules {
  const accounts = config['rewards.poolAccounts'];
  return {
    scheme: config['rewards.scheme'],
    fees: {
      basisPoints: config['rewards.fee'],
      overrides: new Map(Object.entries(config['rewards.feeOverrides'])),
    },
    pplnsWindow: config['rewards.pplnsWindow'],
    schedule: config['rewards.schedule'],
    poolAccounts: accounts.length > 0 ? accounts : [config['miner.account']],
    chainDepth: config['chain.depth'],
    chainNodes: config['chain.nodes'],
    patienceMs: config['rewards.patience'],
    keepRigsMs: config['ledger.retention.rigs'],
    keepAccountsMs: config['ledger.retention.accounts'],
  };
}
