/** Looks at blocks again, when an operator asks for it: before a payout, or after a reorganisation beyond all bounds. */
import { settleBlocks } from '../settlement/splitting.js';
import { type BlockFollowerOptions, lookAtBlock } from './block-follower.js';
import { type FollowedBlock, type LookedAgain, listAgain } from './blocks.js';

export interface LookReport {
  readonly looked: number;
  /** Blocks whose state is another one now. */
  readonly changed: number;
  /** Blocks that are on the chain by the books, while nodes do not say so now. */
  readonly unseen: number;
}

/** Of one list; the next one begins after them. */
const BLOCKS_PER_LIST = 500;
/** Blocks asked for at a time: most of the time of a look is that of nodes' answers. */
const AT_A_TIME = 4;

/** What has changed is settled then: whoever prepares a payout next has to find it in the balances. */
export async function lookAgain(options: BlockFollowerOptions, which: LookedAgain): Promise<LookReport> {
  const report = await lookAtAll(options, which);
  await settleBlocks(options);
  return report;
}

async function lookAtAll(options: BlockFollowerOptions, which: LookedAgain): Promise<LookReport> {
  const counts = { looked: 0, changed: 0, unseen: 0 };
  for (let after = '0'; ; ) {
    const blocks = await listAgain(options.pool, which, after, BLOCKS_PER_LIST);
    const last = blocks.at(-1);
    if (!last) return counts;
    const waiting = blocks.values();
    await Promise.all(Array.from({ length: AT_A_TIME }, () => lookInTurn(options, waiting, counts)));
    after = last.solutionId;
  }
}

async function lookInTurn(
  options: BlockFollowerOptions,
  waiting: IterableIterator<FollowedBlock>,
  counts: { looked: number; changed: number; unseen: number },
): Promise<void> {
  for (const block of waiting) {
    const { state, isSeen } = await lookAtBlock(options, block);
    counts.looked++;
    if (state !== block.state) counts.changed++;
    if (!isSeen && (state === 'onChain' || state === 'confirmed')) counts.unseen++;
  }
}
