/** What a miner wants to know of a pool before he comes, by the rules of the ledger. */
import { formatAmount } from '../../core/money/amount.js';
import type { RulesInForce } from '../../ledger/rules/rules.js';
import { windowText } from '../../ledger/settings.js';
import { depthIn } from '../../ledger/settlement/reward-rules.js';
import type { Terms } from '../../operations/state.js';
import { nextAfter, parseSchedule } from '../../values/schedule.js';

const BASIS = 10_000;

/** @param isForDevelopment the network that is mined is one of developers. */
export function termsOf(rules: RulesInForce | undefined, isForDevelopment: boolean): Terms | undefined {
  if (!rules) return undefined;
  const { scheme, pplnsWindow, fees, minimum, payoutSchedule } = rules;
  const schedule = parseSchedule(payoutSchedule);
  const nextMs = typeof schedule === 'string' ? undefined : nextAfter(schedule, Date.now());
  return {
    scheme,
    window: scheme === 'pplns' ? windowText(pplnsWindow) : null,
    fee: fees.basisPoints / BASIS,
    depth: depthIn(rules, isForDevelopment),
    minimum: formatAmount(minimum),
    schedule: payoutSchedule,
    nextPayoutAt: nextMs === undefined ? null : new Date(nextMs).toISOString(),
  };
}
