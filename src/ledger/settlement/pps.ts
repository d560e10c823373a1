/** Pay per share: what shares were worth is credited at once, by the operator, whatever blocks come. */
import type pg from 'pg';
import { type Amount, parseAmount } from '../../core/amount.js';
import { expectedValue, type Scheme, splitByWork } from '../../core/rewards.js';
import { EXPECTED_UNIT } from '../../core/share.js';
import { bulkQuery, inTransaction, lockBooks } from '../database/transaction.js';
import { type Line, OPERATOR_ID, post } from './posting.js';
import { type RewardRules, scheduledReward } from './reward-rules.js';

/**
 * Credits the shares recorded since the last time. Each is worth its chance of a block times the scheduled reward at the
 * highest height in the books, less the fee.
 */
export async function settlePps(pool: pg.Pool, rules: RewardRules): Promise<Amount> {
  return inTransaction(pool, async (client) => {
    await lockBooks(client);
    const reward = scheduledReward(rules.schedule, await highestHeight(client));
    const lines: Line[] = [];
    const rests: Expectation[] = [];
    let total = 0n;
    for (const { account, id, expected } of await takeExpected(client)) {
      const { amount, rest } = expectedValue(reward, expected, EXPECTED_UNIT);
      if (rest > 0n) rests.push({ account, id, expected: rest });
      const [credit] = splitByWork(amount, [{ account, work: 1n }], rules.fees).credits;
      if (!credit || id === OPERATOR_ID) continue;
      lines.push({ accountId: id, book: 'balance', amount: credit.amount });
      total += credit.amount;
    }
    await giveBack(client, rests);
    if (total === 0n) return 0n;
    lines.push({ accountId: OPERATOR_ID, book: 'pps', amount: -total });
    await post(client, { cause: 'pps', lines });
    return total;
  });
}

/**
 * Expectations are counted under every scheme: when one follows another, those made under the other are forgotten, because
 * blocks have paid or will pay for that work.
 */
export async function useScheme(pool: pg.Pool, scheme: Scheme): Promise<void> {
  await inTransaction(pool, async (client) => {
    await lockBooks(client);
    const { rows } = await client.query<{ scheme: string }>('SELECT scheme FROM scheme_in_use');
    const before = rows[0]?.scheme;
    if (before === scheme) return;
    if (before !== undefined)
      await bulkQuery(client, 'UPDATE round_work SET expected = 0 WHERE expected > 0');
    await client.query(
      'INSERT INTO scheme_in_use (scheme) VALUES ($1) ON CONFLICT (only_row) DO UPDATE SET scheme = excluded.scheme',
      [scheme],
    );
  });
}

async function highestHeight(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ height: string | null }>(
    'SELECT greatest((SELECT height FROM tip), (SELECT max(height) FROM solution)) AS height',
  );
  return Number(rows[0]?.height ?? 0);
}

interface Expectation {
  readonly account: string;
  readonly id: number;
  readonly expected: bigint;
}

async function takeExpected(client: pg.ClientBase): Promise<Expectation[]> {
  const { rows } = await bulkQuery<{ account: string; id: number; expected: string }>(
    client,
    `WITH due AS (SELECT round_id, account, expected FROM round_work WHERE expected > 0 FOR UPDATE),
     taken AS (
       UPDATE round_work w SET expected = 0 FROM due WHERE w.round_id = due.round_id AND w.account = due.account
     )
     SELECT account, id, sum(expected) AS expected FROM due JOIN account ON key = sha256(convert_to(account, 'UTF8'))
     GROUP BY account, id ORDER BY account`,
  );
  return rows.map(({ account, id, expected }) => ({ account, id, expected: BigInt(expected) }));
}

async function giveBack(client: pg.ClientBase, rests: readonly Expectation[]): Promise<void> {
  await bulkQuery(
    client,
    `INSERT INTO round_work (round_id, account, shares, work, expected)
       SELECT round.id, e.account, 0, 0, e.expected
       FROM round, unnest($1::text[], $2::numeric[]) AS e (account, expected) WHERE round.solution_id IS NULL
     ON CONFLICT (round_id, account) DO UPDATE SET expected = round_work.expected + excluded.expected`,
    [rests.map(({ account }) => account), rests.map(({ expected }) => expected.toString())],
  );
}

/** What an account can be paid. */
export async function balanceOf(pool: pg.Pool, name: string): Promise<Amount> {
  const { rows } = await pool.query<{ amount: string }>(
    "SELECT amount FROM balance JOIN account ON id = account_id WHERE key = sha256(convert_to($1, 'UTF8')) AND book = 'balance'",
    [name],
  );
  return parseAmount(rows[0]?.amount ?? '0') ?? 0n;
}
