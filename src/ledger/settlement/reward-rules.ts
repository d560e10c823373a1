/** What the rules of the ledger come to for a block. */
import type { Amount } from '../../core/money/amount.js';
import type { RewardRules } from '../rules/rule-table.js';
import type { RewardStep } from '../settings.js';

/** A block goes by the rules in force then: those of when it was found, and the same for all that were found in one slot. */
export function rulesTime({ slot, foundAt }: { readonly slot: Date; readonly foundAt: Date }): Date {
  return foundAt < slot ? foundAt : slot;
}

/** Half an hour on a public network; those for development are nobody's money. */
const AUTO_DEPTH = { public: 60, development: 6 } as const;

/** @param isForDevelopment the network of the block is one of developers. */
export function depthIn({ chainDepth }: Pick<RewardRules, 'chainDepth'>, isForDevelopment: boolean): number {
  if (chainDepth !== 'auto') return chainDepth;
  return isForDevelopment ? AUTO_DEPTH.development : AUTO_DEPTH.public;
}

/** @param asked `given`: nodes that the settings name, whether they can be asked now or not. */
export function nodesIn(
  { chainNodes }: Pick<RewardRules, 'chainNodes'>,
  { isForDevelopment, given }: { readonly isForDevelopment: boolean; readonly given: number },
): number {
  if (chainNodes !== 'auto') return chainNodes;
  return isForDevelopment || given < 2 ? 1 : 2;
}

/** Why a block on the chain has no reward in the books, and what to do. */
export const UNPAID =
  'its coinbase cannot be read and there is no schedule: `ledger rules set --rewards-schedule` sets one, and it is credited';

/** Why a block that pays another account has none. */
export const PAYS_ANOTHER =
  'it pays an account that is none of the pool: where it is one, `ledger rules set --rewards-pool-accounts` names all of them, and it is credited';

export function scheduledReward(schedule: readonly RewardStep[], height: number): Amount {
  return schedule.findLast((step) => step.fromHeight <= height)?.amount ?? 0n;
}
