/** What people order of chains that stand still. */
import type pg from 'pg';
import { LedgerError } from '../database/errors.js';
import { rowOf, rowsOf, run } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import type { RulesSource } from '../rules/bridge-rules.js';
import { settleDue } from '../settlement/splitting.js';
import { tellInBooks } from '../timeline.js';
import { BEGINNING, type KeptBlock, reachesBeginning, SQL } from './cursor.js';
import type { BlockReader } from './readers.js';

interface ChainOrder {
  readonly chainId: number;
  /** A hash, Base64Url; of undo also BEGINNING. */
  readonly to: string;
  readonly note: string;
  readonly by: string;
}

const UNDO_NEEDS = 'what `ledger follow status` names there';

/**
 * Takes back all blocks above one, newest first, with what they brought, in one transaction; or all that were ever taken over, and the chain is
 * begun anew. Resolves with how many these were. Throws LedgerError `refused`.
 */
export async function undoBlocks(
  pool: pg.Pool,
  { chainId, to, note, by }: ChainOrder,
  readers: readonly Pick<BlockReader, 'revert' | 'forget'>[],
  rules: RulesSource,
): Promise<number> {
  return inTransaction(pool, async (client) => {
    await lockChain(client, chainId);
    const kept = await rowsOf(client, SQL.kept, [chainId]);
    const target = targetOf({ chainId, to }, kept);
    const above = kept.filter(({ height }) => height > target.height);
    const isToBeginning = to === BEGINNING;
    const late = isToBeginning ? await rowsOf(client, SQL.settledBelow, [chainId, target.height]) : [];
    const undone = isToBeginning ? [...late, target, ...above] : above;
    for (const { height, hash } of undone.reverse())
      for (const reader of readers) await reader.revert(client, { chainId, height, hash });
    if (isToBeginning) {
      await run(client, SQL.forget, [chainId]);
      for (const reader of readers) await reader.forget?.(client, { chainId, ...target });
    } else await run(client, SQL.undo, [chainId, target.height]);
    await settleDue(client, rules);
    const says = `${above.length} blocks of chain ${chainId}, down to height ${target.height + 1}, are undone: ${note}`;
    await tellInBooks(client, 'ordered', { order: 'follow undo', about: `chain ${chainId}` }, by, says);
    return above.length;
  });
}

/** The block that is the next cursor, or lies below all that was taken over. */
function targetOf(
  { chainId, to }: Pick<ChainOrder, 'chainId' | 'to'>,
  kept: readonly KeptBlock[],
): KeptBlock {
  const isToBeginning = to === BEGINNING;
  const target = isToBeginning ? kept[0] : kept.find(({ hash }) => hash === to);
  if (!target)
    throw new LedgerError(
      'refused',
      isToBeginning
        ? `chain ${chainId} was not begun: there is nothing to undo`
        : `block ${to} is none of the blocks of chain ${chainId} that were taken over in the last day: name ${UNDO_NEEDS}`,
    );
  if (isToBeginning && !reachesBeginning(kept))
    throw new LedgerError(
      'refused',
      `chain ${chainId} was begun more than a day ago, and only the last ${kept.length} blocks can be taken back: name ${UNDO_NEEDS}`,
    );
  if (!isToBeginning && target === kept.at(-1))
    throw new LedgerError(
      'refused',
      `block ${to} is the last one that was taken over of chain ${chainId}: there is nothing to undo`,
    );
  return target;
}

/** Blocks up to this one are taken over although no node has their payload. */
export async function skipPayloads(pool: pg.Pool, { chainId, to, note, by }: ChainOrder): Promise<void> {
  await inTransaction(pool, async (client) => {
    if ((await lockChain(client, chainId)) === '')
      throw new LedgerError('refused', `chain ${chainId} does not stand still: there is nothing to skip`);
    await run(client, SQL.skip, [chainId, to]);
    const says = `chain ${chainId} is followed up to block ${to} without payloads that no node has: ${note}`;
    await tellInBooks(client, 'ordered', { order: 'follow skip', about: `chain ${chainId}` }, by, says);
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
