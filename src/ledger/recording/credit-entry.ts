/** One statement that credits an entry, summed, or finds it credited before. */
import type pg from 'pg';
import type { ShareEntry } from '../../bridge/ports.js';
import { bucketOf, sumByAccount, sumShares } from './share-sums.js';

/** What of an entry is credited together, or set aside together. */
export type EntryPart = Pick<ShareEntry, 'shares' | 'rejections'>;

/** One statement, and so one transaction unless the caller has begun one. */
export async function creditEntry(
  client: pg.Pool | pg.ClientBase,
  entry: ShareEntry,
): Promise<'recorded' | 'repeated'> {
  const { rows } = await client.query<{ recorded: boolean }>({
    name: 'record_entry',
    text: RECORD_ENTRY,
    values: [entry.id.producer, entry.id.number, recentShares(entry), ...sumsOf(entry)],
  });
  return rows[0]?.recorded ? 'recorded' : 'repeated';
}

/**
 * $4 to $8: accounts, rigs, starts, shares and work of the sums by rig; $11: starts of the rejections. Entries are summed by the
 * bridge's clock; what it calls the future is now.
 */
const RECORD_ENTRY = `
  SELECT record_entry($1, $2, $3, $4, $5, not_later($6), $7, $8, $9, $10, not_later($11), $12, $13, $14, $15, $16, $17, $18)
    AS recorded`;

/** The arrays of the function record_entry, in its order. */
function sumsOf(entry: ShareEntry): unknown[] {
  const sums = sumShares(entry.shares);
  const accounts = sumByAccount(entry.shares);
  const { rejections } = entry;
  return [
    sums.map((sum) => sum.account),
    sums.map((sum) => sum.rig),
    sums.map((sum) => sum.startsAtSeconds),
    sums.map((sum) => sum.shares),
    sums.map((sum) => sum.work.toString()),
    rejections.map((rejection) => rejection.account),
    rejections.map((rejection) => rejection.rig),
    rejections.map((rejection) => bucketOf(rejection.sinceMs)),
    rejections.map((rejection) => rejection.reason),
    rejections.map((rejection) => rejection.submits),
    accounts.map((sum) => sum.account),
    accounts.map((sum) => sum.shares),
    accounts.map((sum) => sum.work.toString()),
    accounts.map((sum) => sum.expected.toString()),
    rejections.map((rejection) => rejection.work.toString()),
  ];
}

/** [account, rig, chain id, height, difficulty, time in ms] each. */
function recentShares(entry: ShareEntry): string | null {
  if (entry.shares.length === 0) return null;
  const rows = entry.shares.map(({ account, rig, chainId, height, difficulty, acceptedAtMs }) => [
    account,
    rig,
    chainId,
    height,
    difficulty.toString(),
    acceptedAtMs,
  ]);
  return JSON.stringify(rows);
}
