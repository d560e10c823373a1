/** What the payer goes by, from the settings. */
import { ConfigError } from '../../config/layers/config-error.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { Amount } from '../../core/money/amount.js';
import { keyOfAccount, type Payer, payerFault } from '../../payouts/command/accounts.js';
import type { PayerTerms } from '../../payouts/payer/turn.js';
import { parseSchedule, type Schedule } from '../../payouts/plan/schedule.js';
import { keyFacts } from '../../payouts/signer/key-file.js';
import { bridgePlace } from '../site.js';

/** Gas of one payment: some 350 are used, and one that fails on chain costs all of it. */
const GAS_LIMIT = 1_000;
/** Offered for a unit at first, 0.00000001 coins; more where nodes ask for it. */
const GAS_PRICE = 10_000n;

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
  const predicate = own === undefined ? config['miner.predicate'] : 'keys-all';
  const payer = { account, publicKeys, predicate };
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

export function payerTerms(config: BridgeConfig, networkId: string, from: Payer): PayerTerms {
  const factor = config['payouts.limit.factor'];
  return {
    ...{ networkId, from, place: bridgePlace(config.dataDir), gasLimit: GAS_LIMIT, gasPrice: GAS_PRICE },
    mode: config['payouts.mode'] === 'auto' ? 'auto' : 'approve',
    ttlS: Math.floor(config['payouts.ttl'] / 1000),
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
