/** What a payer of tests and benchmarks goes by, unless told otherwise. */
import { type Amount, parseAmount } from '../../../src/core/money/amount.js';
import { payerOfKey } from '../../../src/payouts/command/accounts.js';
import type { PayerTerms } from '../../../src/payouts/payer/terms.js';
import { NETWORK, PAYER } from './world.js';

function amount(text: string): Amount {
  const parsed = parseAmount(text);
  if (parsed === undefined) throw new RangeError(`${text} is no amount`);
  return parsed;
}

export const TERMS: PayerTerms = {
  mode: 'auto',
  networkId: NETWORK,
  from: payerOfKey(PAYER.key),
  depth: 3,
  ttlS: 900,
  gasLimit: 1500,
  gasPrice: amount('0.00000001'),
  maxGasPrice: amount('0.000001'),
  reserve: amount('0.1'),
  minimum: amount('1'),
  limits: { line: undefined, batch: undefined, day: undefined, usualPercent: undefined },
  approvals: 1,
  firstApprovals: 0,
  split: true,
  nodes: 1,
  place: 'here',
};
