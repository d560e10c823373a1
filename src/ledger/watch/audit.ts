/** What miners check their splits by. */
import type { Page, PageAsked } from '../../bridge/watch/books-watch.js';
import { type Leaf, leafNode, pathOf, type SumTree } from '../../core/audit/sum-tree.js';
import { type AccountSplit, MOST_SPLITS, type Proof, type Root } from '../../operations/books/audit.js';
import { leavesOf, treeOfLeaves } from '../audit/leaves.js';
import { SQL } from '../audit/roots.js';
import type { Ask } from '../database/statements.js';
import { OPERATOR } from '../settlement/transfers.js';

export async function rootsOf(ask: Ask, { before, limit }: PageAsked): Promise<Page<Root>> {
  const rows = await ask(SQL.listed, [before === undefined ? null : Number(before), limit + 1]);
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? String(items.at(-1)?.number) : null };
}

/** `undefined` for a name that is not in the books. */
export async function splitsOf(ask: Ask, name: string): Promise<AccountSplit[] | undefined> {
  const [known] = await ask(SQL.idOf, [name]);
  if (!known || name === OPERATOR) return undefined;
  const rows = await ask(SQL.splits, [name, MOST_SPLITS]);
  return rows.map(({ hash, ...split }) => ({ ...split, hash: hash.toString('base64url') }));
}

/** Of those roots that the account is part of, and whose proofs are kept. */
export async function proofsOf(ask: Ask, name: string, roots: readonly number[]): Promise<Proof[]> {
  const [known] = await ask(SQL.idOf, [name]);
  const proofs: Proof[] = [];
  for (const root of known ? roots : []) {
    const [kept] = await ask(SQL.kept, [root]);
    const proof = kept && (await proofIn(ask, kept, known?.id ?? 0));
    if (proof) proofs.push({ root, ...proof });
  }
  return proofs;
}

interface Kept {
  readonly seed: Buffer;
  readonly accounts: number[];
  readonly work: string[];
  readonly shares: string[];
}

async function proofIn(ask: Ask, kept: Kept, id: number): Promise<Omit<Proof, 'root'> | undefined> {
  const names = new Map((await ask(SQL.names, [kept.accounts])).map(({ id, name }) => [id, name]));
  const totals = new Map(
    kept.accounts.map((account, i) => [
      account,
      { work: BigInt(kept.work[i] ?? 0), shares: BigInt(kept.shares[i] ?? 0) },
    ]),
  );
  const leaves = await leavesOf(kept.seed, totals, names);
  const own = leaves[kept.accounts.indexOf(id)];
  return own && proofOf(own, await treeOfLeaves(leaves));
}

function proofOf(own: Leaf, tree: SumTree): Omit<Proof, 'root'> {
  const { hash } = leafNode(own);
  const at = tree[0]?.findIndex((leaf) => leaf.hash === hash) ?? -1;
  return {
    ...{ salt: own.salt, work: String(own.work), shares: String(own.shares) },
    path: pathOf(tree, at).map(({ work, shares, ...step }) => ({
      ...step,
      work: String(work),
      shares: String(shares),
    })),
  };
}
