/** Types of statements are what a real PostgreSQL says of them. They are not run for it, so that those that write are described too. */
import { expect, it } from 'vitest';
import { inTransaction } from '../../../src/ledger/database/transaction.js';
import { useBooks } from '../../helpers/books/books.js';
import { describeStatement, readCatalog, statementTypes } from '../../helpers/tools/statement-types.js';

const books = useBooks();

it('what src/ledger/database/rows.ts says is made of the files of SQL as they are', async () => {
  const types = await inTransaction(books.pool, statementTypes);
  await expect(types).toMatchFileSnapshot('../../../src/ledger/database/rows.ts', 'npm run rows');
});

const typeOf = (statement: string): Promise<Awaited<ReturnType<typeof describeStatement>>> =>
  inTransaction(books.pool, async (client) =>
    describeStatement(client, await readCatalog(client), statement),
  );

it.each([
  'SELECT h.id AS x FROM account a LEFT JOIN payout_line h ON h.account_id = a.id;',
  'SELECT h.id AS x FROM account a LEFT JOIN LATERAL (SELECT * FROM payout_line) h ON true;',
  'SELECT b.id AS x FROM payout a FULL JOIN account b USING (id);',
  'SELECT minimum_payout AS x FROM account UNION SELECT amount FROM payout_line;',
  'SELECT minimum_payout + 1 AS x FROM account;',
  'SELECT sum(amount) AS x FROM payout_line;',
  'SELECT sum(amount) FILTER (WHERE amount > 1) AS x FROM payout_line GROUP BY account_id;',
  'SELECT (SELECT id FROM payout_line WHERE amount = 1) AS x;',
  'SELECT (SELECT max(amount) FROM payout_line) AS x;',
  "SELECT facts -> 'of' AS x FROM event;",
  'SELECT CASE WHEN amount > 1 THEN amount END AS x FROM payout_line;',
  'SELECT nullif(amount, 1) AS x FROM payout_line;',
  'SELECT name = ANY ($1) AS x FROM account;',
  'SELECT $1::int AS x;',
  'UPDATE account SET minimum_payout = NULL WHERE minimum_payout IS NOT NULL RETURNING minimum_payout AS x;',
  'WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT NULL FROM n) SELECT i AS x FROM n;',
])('may be null: %s', async (statement) => {
  expect((await typeOf(statement)).columns).toMatchObject([{ name: 'x', isNullable: true }]);
  const sure = statement.replaceAll('AS x', 'AS "x!"');
  expect((await typeOf(sure)).columns).toMatchObject([{ name: 'x', isNullable: false }]);
});

it.each([
  'SELECT a.id AS x FROM account a LEFT JOIN payout_line h ON h.account_id = a.id;',
  'SELECT x FROM (SELECT amount AS x FROM payout_line UNION ALL SELECT 1) AS one;',
  'SELECT amount + 1 AS x FROM payout_line;',
  'SELECT sum(amount) AS x FROM payout_line GROUP BY account_id;',
  'SELECT (SELECT count(*) FROM payout_line) AS x;',
  'SELECT EXISTS (SELECT FROM payout_line) AS x;',
  'SELECT coalesce(minimum_payout, 0)::text AS x FROM account;',
  'SELECT minimum_payout AS x FROM account WHERE id > $1 AND minimum_payout IS NOT NULL;',
  'WITH gone AS (DELETE FROM payout_line RETURNING id) SELECT id AS x FROM gone;',
  "INSERT INTO account (name, key) VALUES ('', '') RETURNING id AS x;",
])('is never null: %s', async (statement) => {
  expect((await typeOf(statement)).columns).toMatchObject([{ name: 'x', isNullable: false }]);
  await expect(typeOf(statement.replaceAll('AS x', 'AS "x!"'))).rejects.toThrow('x is never null');
});

it('has the words of a column that its table lets in, and the types of values', async () => {
  const { values, columns } = await typeOf(
    'SELECT state FROM payout_line WHERE account_id = $1 AND note = ANY ($2);',
  );
  expect(values).toEqual(['integer', 'text[]']);
  const words = ['prepared', 'sent', 'confirmed', 'failed', 'unknown'];
  expect(columns).toEqual([{ name: 'state', type: 'text', isNullable: false, words }]);
});
