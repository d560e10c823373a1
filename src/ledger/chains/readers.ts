/** Who wants to know of blocks: of each that stands at the depth, once, within the transaction that moves the cursor. */
import type pg from 'pg';
import type { PassedBlock } from '../../bridge/ports.js';

export interface AppliedBlock extends PassedBlock {
  readonly chainId: number;
}

export type RevertedBlock = Pick<AppliedBlock, 'chainId' | 'height' | 'hash'>;

export interface BlockReader {
  /** Whether the block is anything to it, as far as it can be told without asking anybody. */
  wants(block: AppliedBlock): boolean;
  /** In the order of the chain. */
  apply(client: pg.ClientBase, block: AppliedBlock): Promise<void>;
  /** By order of a person; the newest first. All is as it was before the block was applied. */
  revert(client: pg.ClientBase, block: RevertedBlock): Promise<void>;
  /** After all of its blocks: the chain is begun anew, maybe above some that nobody has read. @param first that was followed. */
  forget?(client: pg.ClientBase, first: RevertedBlock): Promise<void>;
}
