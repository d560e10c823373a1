/**
 * Proves that the books balance. Each check is one statement of one moment, or many over pieces of history that does not change any
 * more: nothing holds up who records, however long the history is.
 */
import type pg from 'pg';
import { inTransaction, patientQuery } from '../database/transaction.js';
import { ABSENCE_IN_WORDS } from './absence.js';
import { type Ask, brokenBalances } from './verify-balances.js';

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
  /** One text column by `format`, one row a breach. Of pieces: $1 and $2 are where one begins and ends. */
  readonly sql: string;
  /** Of what: periods of postings, ids of blocks, or slots by the day. Both ends of a piece are part of it. */
  readonly pieces?: 'periods' | 'blocks' | 'days';
  /** Rows tell of what cannot be mended any more: the books balance all the same. */
  readonly isNote?: true;
}

const CHECKS: readonly Check[] = [
  {
    name: 'postings',
    says: 'what is posted for one cause in a period sums to zero',
    pieces: 'periods',
    sql: `SELECT format('%s of %s: %s', cause, period, sum(amount)) FROM posting WHERE period BETWEEN $1 AND $2
          GROUP BY period, cause HAVING sum(amount) <> 0`,
  },
  {
    name: 'rewards',
    says: 'what is split of a block is what it pays, to the last unit',
    pieces: 'blocks',
    sql: `SELECT format('block of solution %s: pays %s, split %s', b.solution_id, b.reward + b.fees, coalesce(s.amount, 0))
          FROM block b LEFT JOIN (
            SELECT solution_id, sum(one) AS amount FROM block_split, unnest(amounts) AS one
            WHERE solution_id BETWEEN $1 AND $2 GROUP BY 1) s USING (solution_id)
          WHERE b.solution_id BETWEEN $1 AND $2
            AND coalesce(s.amount, 0) <> CASE WHEN b.split_from IS NULL THEN 0 ELSE b.reward + b.fees END`,
  },
  {
    name: 'blocks',
    says: 'the split of a block is posted exactly while it is on the chain, from when it was confirmed',
    pieces: 'blocks',
    sql: `SELECT format('block of solution %s is %s, and its split is %s', b.solution_id, b.state,
                        CASE WHEN b.posted_at IS NULL THEN 'not posted' ELSE 'posted' END)
          FROM block b WHERE b.solution_id BETWEEN $1 AND $2 AND NOT b.due AND b.weighed_at IS NOT NULL AND CASE
            WHEN b.state NOT IN ('onChain', 'confirmed') THEN b.split_from IS NOT NULL OR b.posted_at IS NOT NULL
            WHEN b.reward IS NULL THEN b.split_from IS NOT NULL
            ELSE b.split_from IS NULL OR (b.posted_at IS NULL AND b.state = 'confirmed' AND NOT EXISTS (
              SELECT FROM block u WHERE u.slot < b.slot AND u.state IN ('pending', 'onChain') AND 'prop' IN (b.scheme, u.scheme))) END`,
  },
  {
    name: 'splits',
    says: 'what is posted of blocks in a period is what was split in it',
    pieces: 'periods',
    sql: `SELECT format('%s of %s, account %s: posted %s, split %s', cause, period, account_id, coalesce(p.amount, 0), coalesce(s.amount, 0))
          FROM (SELECT period, cause, account_id, amount FROM posting
                WHERE period BETWEEN $1 AND $2 AND book = 'balance' AND cause IN ('block', 'reversed', 'split again')) p
          FULL JOIN (
            SELECT period, cause, account AS account_id, sum(amount) AS amount FROM block_split, unnest(accounts, amounts) AS u (account, amount)
            WHERE period BETWEEN $1 AND $2 GROUP BY 1, 2, 3) s USING (period, cause, account_id)
          WHERE coalesce(p.amount, 0) <> coalesce(s.amount, 0)`,
  },
  {
    name: 'held',
    says: 'what is held is the splits of the blocks on the chain that are not posted',
    sql: `SELECT format('account %s: held %s, splits %s', account_id, coalesce(h.amount, 0), coalesce(s.amount, 0)) FROM held h FULL JOIN (
            SELECT account AS account_id, sum(amount) AS amount FROM block_split, unnest(accounts, amounts) AS u (account, amount)
            WHERE period IS NULL GROUP BY 1) s USING (account_id) WHERE coalesce(h.amount, 0) <> coalesce(s.amount, 0)`,
  },
  {
    name: 'payouts',
    says: 'what is on hold and what is paid is what the payments say',
    sql: `SELECT format('%s of %L: books %s, payments %s', book, owner, coalesce(a.amount, 0), coalesce(l.amount, 0))
          FROM (SELECT name AS owner, book, amount FROM balance JOIN account ON id = account_id WHERE book IN ('paying', 'paid')) a
          FULL JOIN (
            SELECT name AS owner, CASE WHEN state IN ('sent', 'confirmed') THEN 'paid' ELSE 'paying' END AS book, sum(amount) AS amount
            FROM payment JOIN account ON account.id = account_id WHERE state <> 'failed' GROUP BY 1, 2) l
          USING (owner, book) WHERE coalesce(a.amount, 0) <> coalesce(l.amount, 0)`,
  },
  {
    name: 'shares',
    says: 'the rounds hold all the work that producers brought',
    sql: `SELECT format('rounds hold work %s; producers brought %s', rounds, producers) FROM (
            SELECT (SELECT coalesce(sum(round_work), 0) FROM block) + (SELECT coalesce(sum(w), 0) FROM open_round, unnest(work) AS w)
                   + (SELECT coalesce(sum(work), 0) FROM rig_work WHERE kind = 0 AND starts_at >= (SELECT until FROM open_round)) AS rounds,
                   (SELECT coalesce(sum(work), 0) FROM producer) AS producers) AS sums
          WHERE rounds <> producers`,
  },
  {
    name: 'minutes',
    says: 'sums of accounts over time hold what the sums of rigs do',
    pieces: 'days',
    sql: `SELECT format('from %s to %s, kind %s: rigs %s of work %s, accounts %s of %s', $1::timestamptz, $2::timestamptz, kind,
                        r.submits, r.work, a.submits, a.work)
          FROM (SELECT kind, sum(submits) AS submits, sum(work) AS work FROM rig_work WHERE starts_at BETWEEN $1 AND $2 GROUP BY 1) r
          FULL JOIN (SELECT kind, sum(submits) AS submits, sum(work) AS work FROM account_minute
                     WHERE account_id = 0 AND kind < 100 AND starts_at BETWEEN $1 AND $2 GROUP BY 1) a USING (kind)
          WHERE (r.submits, r.work) IS DISTINCT FROM (a.submits, a.work)`,
  },
  {
    name: 'pps',
    says: 'what is posted for shares at once is what their periods were worth',
    pieces: 'periods',
    sql: `SELECT format('posted in %s: %s, periods %s', posted_in, p.amount, s.amount)
          FROM (SELECT period AS posted_in, -sum(amount) AS amount FROM posting 
                WHERE period BETWEEN $1 AND $2 AND book = 'pps' AND cause = 'pps' GROUP BY 1) p
          FULL JOIN (SELECT posted_in, sum(total) AS amount FROM pps_period WHERE posted_in BETWEEN $1 AND $2 GROUP BY 1) s USING (posted_in)
          WHERE p.amount IS DISTINCT FROM s.amount`,
  },
  {
    name: 'weights',
    says: 'who worked for a round did all the work of it',
    pieces: 'blocks',
    sql: `SELECT format('block of solution %s: weights %s, work of its round %s', w.solution_id, w.work, r.work) FROM (
            SELECT solution_id, sum(one) AS work FROM block_weight, unnest(work) AS one WHERE solution_id BETWEEN $1 AND $2 GROUP BY 1) w
          JOIN block b USING (solution_id)
          CROSS JOIN LATERAL (SELECT sum(round_work) AS work FROM block WHERE slot = b.slot) r
          WHERE b.scheme IN ('prop', 'pps') AND w.work <> r.work`,
  },
  {
    name: 'closed',
    says: 'no time that is yet to come is closed for shares',
    sql: `SELECT format('shares are closed until %s, and it is %s: a clock was wrong; a bridge whose clock is right brings it back within a minute', until, now())
          FROM closed WHERE until > now()`,
  },
  {
    name: 'bridges',
    says: 'every bridge was heard when blocks were weighed',
    sql: `SELECT ${ABSENCE_IN_WORDS} AS format FROM absence ORDER BY last_slot DESC`,
    isNote: true,
  },
];

/** Each statement of its own moment. */
export async function verifyBooks(pool: pg.Pool): Promise<Proof[]> {
  return runChecks((sql, values) =>
    inTransaction(pool, async (client) => {
      // A proof may take its time, and holds up nobody.
      await client.query(`SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = ${PATIENCE_MS}`);
      return (await patientQuery(client, sql, [...values], PATIENCE_MS)).rows as never;
    }),
  );
}

const PATIENCE_MS = 600_000;

export async function runChecks(ask: Ask): Promise<Proof[]> {
  const says = 'every balance is the sum of its postings';
  const proofs: Proof[] = [
    { name: 'balances', says, broken: (await brokenBalances(ask)).slice(0, SHOWN), noted: [] },
  ];
  for (const check of CHECKS) {
    const found = await rowsOf(ask, check);
    const { name, says, isNote } = check;
    proofs.push({ name, says, broken: isNote ? [] : found, noted: isNote ? found : [] });
  }
  return proofs;
}

async function rowsOf(ask: Ask, { sql, pieces }: Check): Promise<string[]> {
  const found: string[] = [];
  const limited = `${sql} LIMIT ${SHOWN}`;
  for (const piece of pieces ? await ask<{ piece: unknown[] }>(PIECES[pieces], []) : [{ piece: [] }]) {
    const rows = await ask<{ format: string }>(limited, piece.piece);
    found.push(...rows.map((row) => row.format));
    if (found.length >= SHOWN) break;
  }
  return found.slice(0, SHOWN);
}

/** Each small enough for a moment, and no more of them than there are days, weeks or thousands of blocks. */
const PIECES = {
  periods: `
    SELECT ARRAY[at, at + interval '7 days' - interval '1 microsecond']::text[] AS piece
    FROM (SELECT min(period) AS first, max(period) AS last FROM posting) AS ends,
         generate_series(date_bin('1 day', first, 'epoch'), last, interval '7 days') AS at`,
  days: `
    SELECT ARRAY[at, at + interval '1 day' - interval '1 microsecond']::text[] AS piece
    FROM (SELECT min(starts_at) AS first, max(starts_at) AS last FROM rig_work) AS ends,
         generate_series(date_bin('1 day', first, 'epoch'), last, interval '1 day') AS at`,
  blocks: `
    SELECT ARRAY[min(solution_id), max(solution_id)] AS piece
    FROM (SELECT solution_id, row_number() OVER (ORDER BY solution_id) / 1000 AS thousand FROM block) AS numbered
    GROUP BY thousand ORDER BY thousand`,
} as const;
