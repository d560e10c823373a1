/** What books and queue take from the settings. */
import type { REWARD_SETTINGS } from '../../config/settings/reward-settings.js';
import type { ConfigOf } from '../../config/settings/setting.js';
import type { BridgeConfig } from '../../config/settings/settings.js';
import type { RewardRules } from '../../ledger/settlement/reward-rules.js';
import type { QueueConnection } from '../../queue/connection.js';

export function queueConnectionFrom(
  config: Pick<BridgeConfig, 'queue.redisUrl'>,
  databaseUrl: string,
): QueueConnection {
  const redisUrl = config['queue.redisUrl'];
  if (redisUrl) return { backend: 'redis', url: redisUrl };
  return { backend: 'postgres', connectionString: databaseUrl };
}

export function rewardRulesFrom(config: ConfigOf<typeof REWARD_SETTINGS>): RewardRules {
  return {
    scheme: config['rewards.scheme'],
    fees: {
      basisPoints: config['rewards.feeBasisPoints'],
      overrides: new Map(Object.entries(config['rewards.feeOverrides'])),
    },
    pplnsWindow: config['rewards.pplnsWindow'],
    schedule: config['rewards.schedule'],
    confirmDepth: config['rewards.confirmDepth'],
  };
}
