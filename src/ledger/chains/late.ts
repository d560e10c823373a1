/** Solutions that came into the books after the chain had passed their height: the block there is the one that was taken over, or lies below it. */
import type pg from 'pg';
import type { ChainInSight } from '../../bridge/ports.js';
import { bytesEqual, fromBase64Url } from '../../core/bytes/bytes.js';
import type { Anchor } from '../../core/work/anchor.js';
import { decodeHeader } from '../../core/work/header.js';
import { SQL as BLOCKS, confirmBlock, orphanBlock } from '../blocks/blocks.js';
import { type RowOf, rowsOf } from '../database/statements.js';
import { inTransaction, lockBlocks } from '../database/transaction.js';
import type { RulesSource } from '../rules/bridge-rules.js';
import { SQL, standsAt } from './cursor.js';

interface LateOptions {
  readonly pool: pg.Pool;
  readonly rules: RulesSource;
  readonly chainId: number;
  readonly chain: ChainInSight;
  /** By order, this block may go without its payload. */
  readonly skipTo: string | null;
}

type LateBlock = RowOf<typeof SQL.late>;

/** A sentence where a node is needed that has more. */
export async function settleLate(options: LateOptions): Promise<string | undefined> {
  const { pool, chainId } = options;
  const kept = await rowsOf(pool, SQL.kept, [chainId]);
  const [lowest, cursor] = [kept[0], kept.at(-1)];
  if (!lowest || !cursor) return undefined;
  const taken = new Map(kept.map(({ height, hash }) => [height, hash]));
  for (const block of await rowsOf(pool, SQL.late, [chainId])) {
    const on = taken.get(block.height) ?? (await hashBelow(options, lowest, block.height));
    if (typeof on === 'object') return on.trouble;
    const trouble = await settle(options, cursor, block, on);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

async function hashBelow(
  { chain }: LateOptions,
  lowest: Pick<Anchor, 'hash'>,
  height: number,
): Promise<string | { readonly trouble: string }> {
  const found = await chain.ancestorOf(lowest.hash, height);
  return typeof found === 'string' ? { trouble: found } : found.hash;
}

/** @param on hash of the block that the chain has there. */
async function settle(
  { pool, rules, chainId, chain, skipTo }: LateOptions,
  cursor: Pick<Anchor, 'hash'>,
  block: LateBlock,
  on: string,
): Promise<string | undefined> {
  const isOn = bytesEqual(block.hash, fromBase64Url(on) ?? new Uint8Array());
  const { payloadHash } = decodeHeader(block.header);
  const payload = isOn ? await chain.payload(payloadHash, block.height) : undefined;
  if (isOn && !payload && on !== skipTo)
    return `block ${on} of height ${block.height} is ours, and no node has its payload: one that has it is needed`;
  await inTransaction(pool, async (client) => {
    // An order may have taken it back meanwhile: the next turn looks anew.
    if (!(await standsAt(client, chainId, cursor))) return;
    await lockBlocks(client);
    const [row] = (await rowsOf(client, BLOCKS.pendingAt, [chainId, block.height])).filter(
      ({ id }) => id === block.id,
    );
    if (!row) return;
    if (isOn) await confirmBlock(client, row, payload, rules);
    else await orphanBlock(client, block.id);
  });
  return undefined;
}
