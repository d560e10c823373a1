/** What people order of chains that stand still. */
import type pg from 'pg';
import { LedgerError } from '../database/errors.js';
import { rowOf, rowsOf, run } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import type { RulesSource } from '../rules/bridge-rules.js';
import { settleDue } from '../settlement/splitting.js';
import { tellInBooks } from '../timeline.js';
import { pausePayer } from '../transactions/payer-books.js';
import { SQL } from './cursor.js';
import type { BlockReader } from './readers.js';

export interface ChainOrder {
  readonly chainId: number;
  /** Base64Url. */
  readonly to: string;
  readonly note: string;
  readonly by: string;
}

const UNDO_NEEDS = 'the last block that both chains have, as `ledger follow status` names it';

/**
 * Takes back all blocks above one, newest first, with what they brought, in one transaction. Resolves with how many these were. Throws LedgerError
 * `refused`.
 */
export async function undoBlocks(
  pool: pg.Pool,
  { chainId, to, note, by }: ChainOrder,
  readers: readonly Pick<BlockReader, 'revert'>[],
  rules: RulesSource,
): Promise<number> {
  return inTransaction(pool, async (client) => {
    await lockChain(client, chainId);
    const kept = await rowsOf(client, SQL.kept, [chainId]);
    const target = kept.find(({ hash }) => hash === to);
    if (!target)
      throw new LedgerError(
        'refused',
        `block ${to} is none of the blocks of chain ${chainId} that were taken over in the last day: name ${UNDO_NEEDS}`,
      );
    const undone = kept.filter(({ height }) => height > target.height).reverse();
    if (undone.length === 0)
      throw new LedgerError(
        'refused',
        `block ${to} is the last one that was taken over of chain ${chainId}: there is nothing to undo`,
      );
    for (const { height, hash } of undone)
      for (const reader of readers) await reader.revert(client, { chainId, height, hash });
    await run(client, SQL.undo, [chainId, target.height]);
    await settleDue(client, rules);
    const says = `${undone.length} blocks of chain ${chainId}, down to height ${target.height + 1}, are undone: ${note}`;
    await tellInBooks(client, 'ordered', { order: 'follow undo', about: `chain ${chainId}` }, by, says);
    return undone.length;
  });
}

/** Blocks up to this one are taken over although no node has their payload. It decides no payment: the payer is paused. */
export async function skipPayloads(pool: pg.Pool, { chainId, to, note, by }: ChainOrder): Promise<void> {
  await inTransaction(pool, async (client) => {
    if ((await lockChain(client, chainId)) === '')
      throw new LedgerError('refused', `chain ${chainId} does not stand still: there is nothing to skip`);
    await run(client, SQL.skip, [chainId, to]);
    const says = `chain ${chainId} is followed up to block ${to} without payloads that no node has: ${note}`;
    await tellInBooks(client, 'ordered', { order: 'follow skip', about: `chain ${chainId}` }, by, says);
    const why = `${says}. What was paid in these blocks is not known`;
    await pausePayer(client, { kind: 'operator', says: why, evidence: {}, by });
  });
}

/** Resolves with why it stands still. */
async function lockChain(client: pg.ClientBase, chainId: number): Promise<string> {
  const chain = await rowOf(client, SQL.lock, [chainId]);
  if (!chain)
    throw new LedgerError(
      'refused',
      `chain ${chainId} is not followed: \`ledger follow status\` lists those that are`,
    );
  return chain.trouble;
}
