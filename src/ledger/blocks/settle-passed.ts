/** Settlement as a reader of chains: what a block at the depth means for ours at its height, and for those that nobody has named. */
import type pg from 'pg';
import { bytesEqual, fromBase64Url } from '../../core/bytes/bytes.js';
import { formatAmount } from '../../core/money/amount.js';
import { decodeHeader, powHashOf } from '../../core/work/header.js';
import type { AppliedBlock, BlockReader, RevertedBlock } from '../chains/readers.js';
import { rowOf, rowsOf, run } from '../database/statements.js';
import { lockBlocks } from '../database/transaction.js';
import type { RulesSource } from '../rules/bridge-rules.js';
import { type BlockIncome, incomeOf, receiverOf } from '../settlement/block-income.js';
import { markDependants } from '../settlement/rounds.js';
import { tellOfBlock } from './block-news.js';
import { confirmBlock, orphanBlock, SQL } from './blocks.js';

interface SettlementOptions {
  readonly rules: RulesSource;
  /** Blocks that pay one of them are ours. */
  readonly poolAccounts: readonly string[];
  /** Blocks of ours wait there to be settled. One that comes into the books later is settled as a late one. */
  readonly isPending: (chainId: number, height: number) => boolean;
}

export function settlementReader({ rules, poolAccounts, isPending }: SettlementOptions): BlockReader {
  const isOurs = ({ payload }: AppliedBlock): boolean => {
    const receiver = payload && receiverOf(payload);
    return receiver !== undefined && poolAccounts.includes(receiver);
  };
  return {
    wants: (block) => isPending(block.chainId, block.height) || isOurs(block),
    apply: async (client, block) => {
      const ours = await rowsOf(client, SQL.pendingAt, [block.chainId, block.height]);
      await lockBlocks(client);
      const hash = bytesOf(block.hash);
      const own = ours.find((row) => bytesEqual(row.hash, hash));
      const income = !own && block.payload && isOurs(block) ? incomeOf(block.payload) : undefined;
      // Before any row of a block is taken: it waits for the row of a log, whose recorder may wait for that of a block.
      const late = income && (await namedAfterAll(client, block));
      for (const row of ours) if (!bytesEqual(row.hash, hash)) await orphanBlock(client, row.id);
      const confirmed = own ?? late;
      if (confirmed) await confirmBlock(client, confirmed, block.payload, rules);
      else if (income) await enter(client, block, income);
    },
    revert: revertSettled,
  };
}

/** It pays us, and a log has named it whose node said no or nothing. */
async function namedAfterAll(client: pg.ClientBase, { header }: AppliedBlock) {
  const named = await rowOf(client, SQL.named, [powHashOf(header)]);
  if (named) await run(client, SQL.isOnChain, [named.id]);
  return named;
}

/** It pays us, and nobody knows who found it. */
async function enter(client: pg.ClientBase, block: AppliedBlock, income: BlockIncome): Promise<void> {
  const { chainId, height, parent, nonce, creationTime } = decodeHeader(block.header);
  const entered = await rowOf(client, SQL.enter, [
    powHashOf(block.header),
    bytesOf(block.hash),
    block.header,
    chainId,
    height,
    parent,
    nonce.toString(),
    creationTime.toString(),
    block.work.toString(),
    new Date(Number(creationTime / 1000n)),
    income.receiver,
    formatAmount(income.reward),
    formatAmount(income.fees),
  ]);
  if (entered) await tellOfBlock(client, entered.id, 'unclaimed');
}

/** All of ours at its height are what they were before it was applied. */
export async function revertSettled(
  client: pg.ClientBase,
  { chainId, height, hash }: RevertedBlock,
): Promise<void> {
  await lockBlocks(client);
  const place = [chainId, height, bytesOf(hash)] as const;
  for (const { id, wasConfirmed } of await rowsOf(client, SQL.reverse, place)) {
    await markDependants(client, id);
    if (wasConfirmed) await tellOfBlock(client, id, 'reversed');
  }
  await run(client, SQL.withdraw, place);
}

function bytesOf(hash: string): Uint8Array {
  const bytes = fromBase64Url(hash);
  if (!bytes) throw new Error(`${hash} is no hash of a block`);
  return bytes;
}
