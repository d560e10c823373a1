/** A pool of a million accounts: every scheme splits a block among them to the last unit, and the books prove it. */

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { type Ledger, openLedger } from '../../src/ledger/ledger.js';
import { verifyBooks } from '../../src/ledger/proof/verify.js';
import { REWARD_RULES, type RewardRules } from '../../src/ledger/rules/rule-table.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../helpers/books/postgres.js';
import { recordSolution } from '../helpers/books/record-solution.js';
import { newestBlock, sawBlock, settleAll } from '../helpers/books/settlement.js';
import { makeSolution } from '../helpers/rigs/solutions.js';

const ACCOUNTS = Number(process.env['BRIDGE_TEST_ACCOUNTS'] ?? 1_000_000);
const FOUND_MS = 1_700_000_000_000;
const REWARD = 2_304_523_000_007n;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.close());

/** Books in which each account has one share, entered as recorders leave them. */
async function booksOfMany(): Promise<Ledger> {
  const ledger = await openLedger({ connectionString: await createDatabase(postgres), log: SILENT });
  const all = `FROM generate_series(1, ${ACCOUNTS}) AS i`;
  const work = '(1000000 + i % 97)';
  const text = `
    SELECT know_rigs(array_agg('k:' || lpad(i::text, 64, 'a')), array_agg(''::text)) ${all};
    SELECT need_partition('rig_work', to_timestamp(${FOUND_MS / 1000 - 60}));
    INSERT INTO rig_work (starts_at, rig_id, kind, submits, work)
      SELECT to_timestamp(${FOUND_MS / 1000 - 60}), id, 0, 1, (1000000 + id % 97) FROM rig;
    SELECT need_partition('account_work', to_timestamp(${FOUND_MS / 1000 - 60}));
    INSERT INTO account_work (starts_at, account_id, kind, submits, work, expected)
      SELECT date_bin('1 minute', to_timestamp(${FOUND_MS / 1000 - 60}), 'epoch'), coalesce(account_id, 0), 0, count(*),
             sum(1000000 + id % 97), sum(1000000000000 + id) FROM rig GROUP BY ROLLUP (account_id);
    INSERT INTO log (id, shares, work, numbers, declared_number, declared_shares, declared_work, ended)
      SELECT '${randomUUID()}', ${ACCOUNTS}, sum(${work}), '{[1,2)}', 1, ${ACCOUNTS}, sum(${work}), true ${all};
    ANALYZE`;
  // It takes longer than any statement of a bridge may.
  const client = await ledger.pool.connect();
  await client.query('SET statement_timeout = 0');
  const patiently: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: 600_000 };
  await client.query(patiently);
  client.release(true);
  return ledger;
}

it.each(['pplns', 'prop', 'solo', 'pps'] as const)('%s', async (scheme) => {
  const ledger = await booksOfMany();
  const { pool } = ledger;
  const rules: RewardRules = {
    ...REWARD_RULES,
    scheme,
    pplnsWindow: { of: 'time', ms: 3_600_000 },
    schedule: [{ fromHeight: 0, amount: REWARD }],
  };
  const startedMs = performance.now();
  await recordSolution(ledger, makeSolution({ foundAtMs: FOUND_MS }), 'received', '');
  const block = await newestBlock(pool);
  for (const state of ['pending', 'confirmed'] as const) {
    await sawBlock(pool, block, state, { reward: REWARD });
    await settleAll(pool, rules);
  }
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const { rows } = await pool.query<{ units: string; owners: number }>(
    'SELECT (sum(amount) * 10 ^ 12)::numeric(38, 0) AS units, count(*)::int AS owners FROM balance WHERE account_id >= 0',
  );
  // What shares were paid (pps) is the operator's loss.
  expect(BigInt(rows[0]?.units ?? 0)).toBe(REWARD);
  const many = scheme === 'solo' ? 1 : ACCOUNTS;
  expect(rows[0]?.owners).toBe(many + 1);
  expect((await verifyBooks(pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
  process.stdout.write(`${scheme}: a block among ${ACCOUNTS} accounts in ${seconds} s\n`);
  await ledger.close();
});
