/** What the operator has decided about rewards, and about what they are counted from. */
import type { Amount } from '../../core/money/amount.js';
import type { Fees, Scheme } from '../../core/money/rewards.js';

export interface RewardRules {
  readonly scheme: Scheme;
  readonly fees: Fees;
  readonly pplnsWindow: PplnsWindow;
  /** Rewards by height, for blocks whose coinbase cannot be read: ascending, the first from height 0. */
  readonly schedule: readonly RewardStep[];
  /** What a block pays to any other account is nobody's income. */
  readonly poolAccounts: readonly string[];
  /** Blocks on top of one before it counts; `auto`: by its network. */
  readonly chainDepth: number | 'auto';
  /** Nodes that must have it so deep on the branch of their head; `auto`: by its network, and by how many there are. */
  readonly chainNodes: number | 'auto';
  /** For so long it is waited for whose lease has lapsed. */
  readonly patienceMs: number;
  /** How long sums of single rigs are kept. */
  readonly keepRigsMs: number;
  /** Of accounts, and of all together: no shorter, as they prove those of rigs. */
  readonly keepAccountsMs: number;
}

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

export type PplnsWindow =
  /** Thousandths of the block's difficulty. */
  { readonly of: 'difficulty'; readonly permille: bigint } | { readonly of: 'time'; readonly ms: number };

interface RewardStep {
  readonly fromHeight: number;
  readonly amount: Amount;
}

const DAY_MS = 86_400_000;

export const REWARD_RULES: RewardRules = {
  scheme: 'pplns',
  fees: { basisPoints: 100, overrides: new Map() },
  pplnsWindow: { of: 'difficulty', permille: 2000n },
  schedule: [],
  poolAccounts: [],
  chainDepth: 'auto',
  chainNodes: 'auto',
  patienceMs: DAY_MS,
  keepRigsMs: 90 * DAY_MS,
  keepAccountsMs: 730 * DAY_MS,
};

/** Why a block on the chain has no reward in the books, and what to do. */
export const UNPAID =
  'its coinbase cannot be read and there is no schedule: `ledger rules set --rewards-schedule` sets one, and it is credited';

/** Why a block that pays another account has none. */
export const PAYS_ANOTHER =
  'it pays an account that is none of the pool: where it is one, `ledger rules set --rewards-pool-accounts` names all of them, and it is credited';

export function scheduledReward(schedule: readonly RewardStep[], height: number): Amount {
  return schedule.findLast((step) => step.fromHeight <= height)?.amount ?? 0n;
}
