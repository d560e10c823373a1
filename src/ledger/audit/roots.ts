/**
 * Makes roots: what each account did in all up to a time, signed, for miners to check splits by ([core/audit](../../core/audit)). It is counted from
 * the last one, whose slots are not summed up before the next one is made (functions.sql, 10).
 */
import { type KeyObject, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { hashOfText, type SignedRoot, textOf } from '../../core/audit/root.js';
import { rootOf, type Totals } from '../../core/audit/sum-tree.js';
import { publicHexOf, signText } from '../../core/bytes/ed25519.js';
import { rowOf, rowsOf, run, statementsOf } from '../database/statements.js';
import { bulkRows } from '../database/transaction.js';
import { totalsBetween } from '../settlement/weights.js';
import { tellInBooks } from '../timeline.js';
import { leavesOf, treeOfLeaves } from './leaves.js';

export const SQL = statementsOf('audit/roots.sql');

/** By the pool's key. */
export type SignRoot = (text: string) => Omit<SignedRoot, 'text'>;

export function signRootsBy(key: KeyObject): SignRoot {
  const own = publicHexOf(key);
  return (text) => ({ key: own, signature: signText(text, key) });
}

const SEED_BYTES = 32;
const BEGINNING = new Date(0);

/**
 * There is a root of each of these times then, unless nobody had worked by then. Within a transaction that has the lock of blocks.
 *
 * @param times all slots before them are closed.
 */
export async function needRoots(
  client: pg.ClientBase,
  signRoot: SignRoot,
  times: readonly Date[],
): Promise<void> {
  for (const until of times) {
    if (await rowOf(client, SQL.isThere, [until])) continue;
    const totals = await totalsUntil(client, until);
    if (totals.size > 0) await makeRoot(client, signRoot, until, totals);
  }
}

/** By number of account. */
type AllTotals = Map<number, Totals>;

async function totalsUntil(client: pg.ClientBase, until: Date): Promise<AllTotals> {
  const [base] = await bulkRows(client, SQL.base);
  const totals: AllTotals = new Map(
    base?.accounts.map((id, i) => [
      id,
      { work: BigInt(base.work[i] ?? 0), shares: BigInt(base.shares[i] ?? 0) },
    ]),
  );
  const { until: counted = BEGINNING } = base ?? {};
  const isLater = until > counted;
  const [from, to] = isLater ? [counted, until] : [until, counted];
  const more = isLater ? 1n : -1n;
  for (const { account, work, shares } of await totalsBetween(client, from, to)) {
    const before = totals.get(account) ?? { work: 0n, shares: 0n };
    totals.set(account, { work: before.work + more * work, shares: before.shares + more * shares });
  }
  return new Map([...totals].filter(([, { shares }]) => shares > 0n));
}

async function makeRoot(
  client: pg.ClientBase,
  signRoot: SignRoot,
  until: Date,
  totals: AllTotals,
): Promise<void> {
  const last = await rowOf(client, SQL.last);
  const number = (last?.number ?? 0) + 1;
  const seed = randomBytes(SEED_BYTES);
  const names = new Map(
    (await rowsOf(client, SQL.names, [[...totals.keys()]])).map(({ id, name }) => [id, name]),
  );
  const leaves = await leavesOf(seed, totals, names);
  const text = textOf(rootOf(await treeOfLeaves(leaves)), {
    ...{ number, until: until.toISOString(), accounts: leaves.length },
    previous: last ? hashOfText(last.text) : null,
  });
  const { key, signature } = signRoot(text);
  const all = [...totals];
  await bulkRows(client, SQL.write, [
    ...([number, until, text, key, signature, seed, all.map(([id]) => id)] as const),
    all.map(([, { work }]) => String(work)),
    all.map(([, { shares }]) => String(shares)),
  ]);
  await tellInBooks(client, 'rootSigned', { number, text, key, signature });
}

/** Proofs of roots older than that, but for those by which a split that is kept can be checked. */
export async function forgetProofs(pool: pg.Pool, olderMs: number): Promise<void> {
  await run(pool, SQL.forget, [olderMs]);
}
