/** More accounts and transactions than one page of answers has. */
import { expect, it } from 'vitest';
import { payerBooks } from '../../src/ledger/payer/role.js';
import { useBooks } from '../helpers/books/books.js';
import { PAYER } from '../helpers/payouts/payer-terms.js';

const COUNT = 1_001;

const books = useBooks();

it('are read and written whole and once, page by page: what is due, planned and open', async () => {
  const { pool } = books;
  await pool.query("INSERT INTO chain (id, network, head_height, trouble) VALUES (0, 'test', 1, '')");
  await pool.query(
    `INSERT INTO account (name, key) SELECT name, sha256(convert_to(name, 'UTF8'))
     FROM (SELECT 'k:' || lpad(to_hex(n), 64, '0') AS name FROM generate_series(1, ${COUNT}) AS n) AS miners`,
  );
  await pool.query(
    `SELECT transfer_money(array_agg(('block', -id, 1, chain_account(0), id, 2)::money_move))
     FROM account WHERE name LIKE 'k:%'`,
  );
  const role = await payerBooks(pool).take({
    ...{ place: 'here', account: PAYER.account, validityMicros: 1n, seenMicros: 1n, isNewLedger: true },
    warning: '',
  });
  const due = (await role?.due(1n)) ?? [];
  expect(new Set(due.map(({ account }) => account)).size).toBe(COUNT);
  expect(due).toHaveLength(COUNT);
  const lines = due.map(({ id, account, due: amount }) => ({ accountId: id, account, chainId: 0, amount }));
  await role?.plan({ ...{ lines, minimum: 1n, approvals: 0 }, ...{ approvalWhy: '', waitingWhy: '' } });
  expect(await role?.due(1n)).toEqual([]);
  const { rows } = await pool.query<{ id: string }>('SELECT id::text FROM payout_line ORDER BY id');
  expect(rows).toHaveLength(COUNT);
  await role?.build(
    rows.map(({ id }) => ({
      ...{ lineId: id, attempt: 1, requestKey: `key of ${id}`, cmd: '{}', untilMicros: 1n, gas: 1n },
    })),
  );
  const open = (await role?.state())?.open ?? [];
  expect(open.map(({ lineId }) => lineId).sort()).toEqual(rows.map(({ id }) => id).sort());
  const [first, ...others] = open;
  await role?.refuse(first?.id ?? '', 'a test');
  expect((await role?.state())?.open).toEqual(others);
});
