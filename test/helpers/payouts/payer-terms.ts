/** Who pays in stories of the payer, and by which terms and rules: also for processes in which there is no test. */
import { payerOfKey } from '../../../src/chain/transfers/accounts.js';
import { type Amount, parseAmount } from '../../../src/core/money/amount.js';
import { REWARD_RULES, type RewardRules } from '../../../src/ledger/rules/rule-table.js';
import type { PayerTerms } from '../../../src/payouts/payer/turn.js';
import { keyPair } from '../processes/key-pair.js';

export const PAYER = keyPair(1);
/** Blocks on top of one before it counts. */
export const DEPTH = 3;
export const TTL_S = 900;

export function coins(text: string): Amount {
  const amount = parseAmount(text);
  if (amount === undefined) throw new RangeError(text);
  return amount;
}

export const TERMS: PayerTerms = {
  ...{ networkId: 'development', from: payerOfKey(PAYER.key), place: 'here' },
  ...{ ttlS: TTL_S, gasLimit: 1_000, gasPrice: 10_000n, maxGasPrice: coins('0.000001') },
};

const MUCH = coins('1000000');

/** It pays by itself, when it is asked to. @param needed nodes whose word is. */
export const rulesFor = (needed: number): RewardRules => ({
  ...REWARD_RULES,
  ...{ chainDepth: DEPTH, chainNodes: needed },
  ...{ payoutMode: 'auto', payoutSchedule: 'off', firstApprovals: 0 },
  ...{ lineLimit: MUCH, batchLimit: MUCH, dayLimit: MUCH },
});
