/** All that tests of bridges as processes ask the tables of the ledger by themselves. */
import type pg from 'pg';
import { toBase64Url } from '../../../../src/core/bytes/bytes.js';
import { formatAmount } from '../../../../src/core/money/amount.js';
import { SLOT_MS } from '../model.js';
import { CHAIN_ID } from './blocks.js';
import { fromRigName, type RigName } from './words.js';

/** An empty ledger at the time that it has now. */
export async function beginLedger(pool: pg.Pool, reward: bigint): Promise<void> {
  await pool.query(
    "UPDATE settlement SET turn_at = now(), calm_since = 'epoch', round_since = now(), periods_until = date_bin('10 minutes', now(), 'epoch')",
  );
  await pool.query("INSERT INTO chain (id, network, head_height, reward) VALUES ($1, 'test', 1, $2)", [
    CHAIN_ID,
    formatAmount(reward),
  ]);
}

export interface BookedShare extends RigName {
  readonly slot: number;
  readonly submits: number;
  /** As the ledger has them. */
  readonly booked: { readonly account: string; readonly work: bigint; readonly seconds: number };
}

/** While sums are of ten seconds. */
export async function bookedShares(pool: pg.Pool): Promise<BookedShare[]> {
  const { rows } = await pool.query<{
    name: string;
    account: string;
    ms: number;
    submits: number;
    work: string;
    seconds: number;
  }>(
    `SELECT rig.name, account.name AS account, (extract(epoch FROM starts_at) * 1000)::float8 AS ms, submits::int, work::text, seconds
     FROM rig_work JOIN rig ON rig.id = rig_id JOIN account ON account.id = account_id WHERE kind = 0`,
  );
  return rows.map(({ name, account, ms, submits, work, seconds }) => ({
    ...fromRigName(name),
    ...{ slot: Math.floor(ms / SLOT_MS), submits, booked: { account, work: BigInt(work), seconds } },
  }));
}

export interface BookedBlock {
  readonly hash: string;
  /** It was found in. */
  readonly log: string | null;
  /** `undefined`: it has none yet. */
  readonly slot: number | undefined;
}

export async function bookedBlocks(pool: pg.Pool): Promise<BookedBlock[]> {
  const { rows } = await pool.query<{ hash: Buffer; log: string | null; ms: number | null }>(
    `SELECT hash, log, (extract(epoch FROM slot) * 1000)::float8 AS ms FROM block WHERE state IS NOT NULL`,
  );
  return rows.map(({ hash, log, ms }) => ({
    ...{ hash: toBase64Url(hash), log, slot: ms === null ? undefined : Math.floor(ms / SLOT_MS) },
  }));
}

/** Solutions, by their header. */
export async function bookedHeaders(pool: pg.Pool): Promise<Set<string>> {
  const { rows } = await pool.query<{ header: Buffer }>('SELECT header FROM block');
  return new Set(rows.map(({ header }) => toBase64Url(header)));
}

export async function openLogs(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM log WHERE NOT ended');
  return rows.map(({ id }) => id);
}

/** What is not as it should be where nobody has given up anything: logs that are not whole, and what was set aside. */
export async function leftovers(pool: pg.Pool): Promise<unknown[]> {
  const sql = [
    'SELECT * FROM log WHERE NOT ended OR shares <> declared_shares OR work <> declared_work',
    'SELECT * FROM unbooked',
  ];
  const found = await Promise.all(sql.map((one) => pool.query(one)));
  return found.flatMap(({ rows }) => rows as unknown[]);
}
