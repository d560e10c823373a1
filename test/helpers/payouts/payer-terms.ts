/** Who pays in payer stories, and by which terms: for processes that they start, too. */
import { payerOfKey } from '../../../src/payouts/command/accounts.js';
import type { PayerTerms } from '../../../src/payouts/payer/turn.js';
import { keyPair } from '../processes/key-pair.js';

export const PAYER = keyPair(1);
/** Blocks on top of one before it counts. */
export const DEPTH = 3;
export const TTL_S = 900;
const COIN = 10n ** 12n;

export const TERMS: PayerTerms = {
  ...{ mode: 'auto', networkId: 'development', from: payerOfKey(PAYER.key), place: 'here', split: true },
  ...{ ttlS: TTL_S, gasLimit: 1_000, gasPrice: 10_000n, maxGasPrice: COIN / 1_000_000n },
  ...{ reserve: COIN / 10n, minimum: COIN, approvals: 1, firstApprovals: 0 },
  limits: { line: undefined, batch: undefined, day: undefined, usualPercent: undefined },
};
