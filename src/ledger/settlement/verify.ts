/** Proves that the books balance. */
import type pg from 'pg';
import { DOUBT_IN_WORDS } from '../blocks/split-watch.js';
import { bulkQuery } from '../database/transaction.js';

export interface Proof {
  readonly name: string;
  /** What the check says when it holds. */
  readonly says: string;
  /** Rows that break it; none when it holds. At most {@link SHOWN}. */
  readonly broken: readonly string[];
  /** What the books hold but people should know; at most {@link SHOWN}. */
  readonly noted: readonly string[];
}

const SHOWN = 20;

interface Check {
  readonly name: string;
  readonly says: string;
  /** One text column by `format`, one row a breach. */
  readonly sql: string;
  /** Rows tell of what cannot be mended any more: the books balance all the same. */
  readonly isNote?: true;
}

const CHECKS: readonly Check[] = [
  {
    name: 'postings',
    says: 'the lines of every posting sum to zero',
    sql: `SELECT format('posting %s: %s', posting_id, sum(amount)) FROM posting_line
          GROUP BY posting_id HAVING sum(amount) <> 0`,
  },
  {
    name: 'balances',
    says: 'every balance is the sum of its lines',
    sql: `SELECT format('%s of %L: balance %s, lines %s', book, owner, coalesce(b.amount, 0), coalesce(l.amount, 0))
          FROM balance b FULL JOIN (SELECT owner, book, sum(amount) AS amount FROM posting_line GROUP BY 1, 2) l
          USING (owner, book) WHERE coalesce(b.amount, 0) <> coalesce(l.amount, 0)`,
  },
  {
    name: 'rewards',
    says: 'what is credited for a block is its reward, to the last unit',
    sql: `SELECT format('block of solution %s: reward %s, credits %s', solution_id, reward, coalesce(sum(amount), 0))
          FROM block LEFT JOIN block_credit USING (solution_id) WHERE reward IS NOT NULL
          GROUP BY solution_id, reward HAVING reward <> coalesce(sum(amount), 0)`,
  },
  {
    name: 'blocks',
    says: 'the credits of a block stand in the books exactly while it is on the chain',
    sql: `SELECT format('block of solution %s is %s: books %s, reward %s', b.solution_id, b.state, coalesce(p.brought, 0), b.reward)
          FROM block b LEFT JOIN (
            SELECT solution_id, -sum(amount) AS brought FROM posting JOIN posting_line ON posting_id = id
            WHERE book = 'rewards' GROUP BY solution_id) p USING (solution_id)
          WHERE coalesce(p.brought, 0) <> CASE WHEN b.state IN ('onChain', 'confirmed') THEN coalesce(b.reward, 0) ELSE 0 END`,
  },
  {
    name: 'payouts',
    says: 'what is on hold and what is paid is what the batches say',
    sql: `SELECT format('%s of %L: books %s, batches %s', book, owner, coalesce(a.amount, 0), coalesce(l.amount, 0))
          FROM (SELECT owner, book, amount FROM balance WHERE book IN ('paying', 'paid')) a
          FULL JOIN (
            SELECT account AS owner, CASE state WHEN 'sent' THEN 'paid' ELSE 'paying' END AS book, sum(amount) AS amount
            FROM batch JOIN batch_line ON batch_id = id WHERE state <> 'failed' GROUP BY 1, 2) l
          USING (owner, book) WHERE coalesce(a.amount, 0) <> coalesce(l.amount, 0)`,
  },
  {
    name: 'shares',
    says: 'the rounds hold all the work that producers brought',
    sql: `SELECT format('rounds %s shares, %s work; producers %s, %s', r.shares, r.work, p.shares, p.work)
          FROM (SELECT coalesce(sum(shares), 0) AS shares, coalesce(sum(work), 0) AS work FROM round_work) r,
               (SELECT coalesce(sum(shares), 0) AS shares, coalesce(sum(work), 0) AS work FROM producer) p
          WHERE (r.shares, r.work) IS DISTINCT FROM (p.shares, p.work)`,
  },
  {
    name: 'closed',
    says: 'no time that is yet to come is closed for shares',
    sql: `SELECT format('shares are closed until %s, and it is %s: a clock was wrong; a bridge whose clock is right brings it back within a minute', until, now())
          FROM closed WHERE until > now()`,
  },
  {
    name: 'splits',
    says: 'blocks were split when the shares from before them were in the books',
    sql: `SELECT ${DOUBT_IN_WORDS} AS format FROM split_doubt ORDER BY noted_at DESC`,
    isNote: true,
  },
];

/** Every check, of one moment. */
export async function verifyBooks(pool: pg.Pool): Promise<Proof[]> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return await runChecks(client);
  } finally {
    await client.query('ROLLBACK').catch(() => {}); // it only read
    client.release();
  }
}

/** Within the caller's transaction. */
export async function runChecks(client: pg.ClientBase): Promise<Proof[]> {
  const proofs: Proof[] = [];
  for (const { name, says, sql, isNote } of CHECKS) {
    const { rows } = await bulkQuery<{ format: string }>(client, `${sql} LIMIT ${SHOWN}`);
    const found = rows.map((row) => row.format);
    proofs.push({ name, says, broken: isNote ? [] : found, noted: isNote ? found : [] });
  }
  return proofs;
}
