/** What books and queue take from the settings. */

import type { BridgeConfig } from '../../config/settings.js';
import { type RewardRules, RULES, type Rules, rulesOf } from '../../ledger/rules/rule-table.js';
import type { REWARD_SETTINGS, RULE_SETTINGS } from '../../ledger/settings.js';
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

/** Those rules that somebody has set: a file, a variable or a flag, and no default. */
export function setRulesFrom(
  config: ConfigOf<typeof RULE_SETTINGS>,
  isSet: (key: string) => boolean,
): Partial<Rules> {
  const all = rulesOf(config);
  const set = (Object.keys(RULES) as (keyof Rules)[]).filter((rule) => isSet(RULES[rule]));
  return Object.fromEntries(set.map((rule) => [rule, all[rule]]));
}

export function rewardRulesFrom(
  config: ConfigOf<typeof REWARD_SETTINGS> & Pick<BridgeConfig, 'miner.account'>,
): RewardRules {
  const { feeBasisPoints, poolAccounts, ...rules } = rulesOf(config);
  return {
    ...rules,
    poolAccounts: poolAccounts.length > 0 ? poolAccounts : [config['miner.account']],
    fees: { basisPoints: feeBasisPoints, overrides: new Map(Object.entries(config['rewards.feeOverrides'])) },
  };
}
