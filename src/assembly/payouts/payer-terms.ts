/** What the payer goes by, from the settings. */

import { ConfigError } from '../../config/layers/config-error.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { Amount } from '../../core/money/amount.js';
import { GAS_LIMIT, GAS_PRICE } from '../../core/money/gas.js';
import { isForDevelopment } from '../../core/work/development.js';
import { depthIn, nodesIn, type RewardRules } from '../../ledger/settlement/reward-rules.js';
import { keyOfAccount, type Payer, payerFault } from '../../payouts/command/accounts.js';
import type { PayerTerms } from '../../payouts/payer/terms.js';
import { parseSchedule, type Schedule } from '../../payouts/plan/schedule.js';
import type { PAYOUT_SETTINGS } from '../../payouts/settings.js';
import { keyFacts } from '../../payouts/signer/key-file.js';
import type { ConfigOf } from '../../values/setting.js';
import { bridgePlace } from '../site.js';

/** Who pays. Throws {@link ConfigError} where nobody is said to, or who is said cannot. */
export async function payingAccount(config: BridgeConfig): Promise<Payer> {
  const key = config['payouts.key'];
  const ofKey = key === '' ? undefined : (await keyFacts(key)).account;
  const account = config['payouts.account'] || ofKey || config['miner.account'];
  if (account === '')
    throw new ConfigError([
      'payouts.account is not set: give payouts.key (`stratum-bridge ledger payout key new` makes one)',
    ]);
  const own = keyOfAccount(account);
  const publicKeys = own === undefined ? config['miner.publicKeys'] : [own];
  const payer = {
    account,
    publicKeys,
    predicate: own === undefined ? config['miner.predicate'] : 'keys-all',
  };
  const fault = payerFault(payer);
  if (fault !== undefined)
    throw new ConfigError([`payouts.account: ${JSON.stringify(account)} cannot pay: ${fault}`]);
  if (ofKey !== undefined && ofKey !== account)
    throw new ConfigError([
      `payouts.key: the key in ${key} is that of ${ofKey}, and ${account} is to pay (payouts.account): leave that empty, or give the key of that account`,
    ]);
  return payer;
}

/** Throws {@link ConfigError}. */
export function payoutSchedule(config: Pick<BridgeConfig, 'payouts.schedule'>): Schedule {
  const schedule = parseSchedule(config['payouts.schedule']);
  if (typeof schedule === 'string') throw new ConfigError([`payouts.schedule: ${schedule}`]);
  return schedule;
}

/** When the payer believes what nodes say of the chain. */
type Belief = Pick<PayerTerms, 'depth' | 'nodes'>;

/** By the rules of the ledger. */
export function beliefBy(
  rules: Pick<RewardRules, 'chainDepth' | 'chainNodes'>,
  config: Pick<BridgeConfig, 'payouts.mode' | 'node.urls' | 'node.development'>,
  networkId: string,
): Belief {
  const development = isForDevelopment(networkId, config['node.development']);
  const nodes = nodesIn(rules, { isForDevelopment: development, given: config['node.urls'].length });
  // The word of one node must not pay where nobody approves.
  const paysAlone = config['payouts.mode'] === 'auto' && !development;
  return {
    depth: depthIn(rules, development),
    nodes: rules.chainNodes === 'auto' && paysAlone ? 2 : nodes,
  };
}

type PayerConfig = ConfigOf<typeof PAYOUT_SETTINGS> & Pick<BridgeConfig, 'payouts.minimum' | 'dataDir'>;

export function payerTerms(config: PayerConfig, belief: Belief, networkId: string, from: Payer): PayerTerms {
  const mode = config['payouts.mode'] === 'auto' ? 'auto' : 'approve';
  const factor = config['payouts.limit.factor'];
  return {
    ...{ mode, networkId, from, place: bridgePlace(config.dataDir), ...belief },
    ttlS: Math.floor(config['payouts.ttl'] / 1000),
    gasLimit: GAS_LIMIT,
    gasPrice: GAS_PRICE,
    maxGasPrice: config['payouts.maxGasPrice'],
    reserve: config['payouts.reserve'],
    minimum: config['payouts.minimum'],
    limits: {
      line: amountOr(config['payouts.limit.line']),
      batch: amountOr(config['payouts.limit.batch']),
      day: amountOr(config['payouts.limit.day']),
      usualPercent: factor === 0 ? undefined : 100 * factor,
    },
    approvals: config['payouts.approvals'],
    firstApprovals: config['payouts.firstApprovals'],
    split: config['payouts.split'],
  };
}

/** `undefined`: no limit. */
export function amountOr(limit: Amount | 'none'): Amount | undefined {
  return limit === 'none' ? undefined : limit;
}
