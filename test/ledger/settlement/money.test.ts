import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { formatAmount, parseAmount } from '../../../src/core/money/amount.js';
import { setAccountTerms } from '../../../src/ledger/accounts/accounts.js';
import { type Ask, rowsOf } from '../../../src/ledger/database/statements.js';
import { preparePayout } from '../../../src/ledger/payments/prepare.js';
import { runChecks } from '../../../src/ledger/proof/verify.js';
import { kindNumber } from '../../../src/ledger/recording/kinds.js';
import { REWARD_RULES, type RewardRules } from '../../../src/ledger/rules/rule-table.js';
import { scheduledReward } from '../../../src/ledger/settlement/reward-rules.js';
import { useBooks } from '../../helpers/books/books.js';
import { blocksIn, listIn } from '../../helpers/books/lists.js';
import { coinsIn, dueOf, expectProved } from '../../helpers/books/money.js';
import { recordSolution } from '../../helpers/books/record-solution.js';
import { type Decided, newestBlock, sawBlock, settleAll } from '../../helpers/books/settlement.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';
import { makeSolution } from '../../helpers/rigs/solutions.js';

const FOUND_MS = 1_700_000_000_000;
const NO_FEE = { basisPoints: 0, overrides: new Map<string, number>() };
const PROP: RewardRules = { ...REWARD_RULES, scheme: 'prop', fees: NO_FEE };
const coins = (text: string): bigint => parseAmount(text) ?? expect.fail(`no amount: ${text}`);

const books = useBooks();
let blocks = 0;
let slots = 0;

beforeEach(async () => {
  slots = 0;
  await books.empty();
});

async function mine(
  work: Record<string, bigint>,
  acceptedAtMs = FOUND_MS + 10_000 * (slots + 1),
): Promise<void> {
  const shares = Object.entries(work).map(([account, difficulty]) =>
    makeShare({ account, difficulty, acceptedAtMs }),
  );
  await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections: [] }));
}

/** Found in a slot of its own, unless it is said when. */
async function find(account = 'a', foundAtMs = FOUND_MS + 10_000 * ++slots): Promise<string> {
  const solution = makeSolution({ account, foundAtMs }, { parent: ++blocks % 256, height: blocks });
  await recordSolution(books.ledger, solution, 'found', '');
  await recordSolution(books.ledger, solution, 'received', '');
  return newestBlock(books.pool);
}

async function see(id: string, state: Decided, rules = PROP, reward = '10'): Promise<void> {
  await sawBlock(books.pool, id, state, { reward: coins(reward) });
  await settleAll(books.pool, rules);
}

const balancesOf = (kind: Parameters<typeof coinsIn>[1]) => coinsIn(books.pool, kind);
const expectBalanced = (): Promise<void> => expectProved(books.pool);

describe('blocks and credits', () => {
  it('wait while blocks of a chain are still to be taken over, and not for one that stands still', async () => {
    await mine({ a: 5n });
    const id = await find();
    const chain = (behind: number, trouble: string) =>
      books.pool.query(
        `INSERT INTO chain (id, network, head_height, behind, trouble) VALUES (9, 'test', 99, $1, $2)
         ON CONFLICT (id) DO UPDATE SET behind = $1, trouble = $2`,
        [behind, trouble],
      );
    await chain(50, '');
    await see(id, 'confirmed');
    expect(await balancesOf('due')).toEqual({});
    await chain(50, 'block x: no node has its payload');
    await settleAll(books.pool, PROP);
    expect(await balancesOf('due')).toEqual({ a: '10' });
    await expectBalanced();
  });

  it('expects the credits of a block until it is confirmed', async () => {
    await mine({ a: 1n, b: 2n });
    const id = await find();
    await see(id, 'pending');
    // A rest below a unit is with the operator until then.
    expect(await balancesOf('expected')).toEqual({
      ...{ a: '3.333333333333', b: '6.666666666666', operator: '0.000000000001' },
    });
    await see(id, 'confirmed');
    expect([await balancesOf('expected'), await balancesOf('due')]).toEqual([
      {},
      { a: '3.333333333333', b: '6.666666666667' },
    ]);
    expect(await balancesOf('chains')).toEqual({ 'chain 3': '-10' });
    await expectBalanced();
    expect(await blocksIn(books.pool, 10)).toMatchObject([
      { solution: 'received', state: 'confirmed', depth: 1, reward: '10.000000000000', scheme: 'prop' },
    ]);
  });

  it.each(['pending', 'confirmed'] as const)(
    'takes back what an orphan credited while it was %s',
    async (state) => {
      await mine({ a: 1n, b: 1n });
      const id = await find();
      await see(id, state);
      await see(id, 'orphaned');
      expect([await balancesOf('expected'), await balancesOf('due'), await balancesOf('chains')]).toEqual([
        {},
        {},
        {},
      ]);
      await expectBalanced();
      await see(id, 'confirmed');
      expect(await balancesOf('due')).toEqual({ a: '5', b: '5' });
      await expectBalanced();
    },
  );

  it('moves credits once, whatever many bridges say at the same time', async () => {
    await mine({ a: 1n, b: 3n });
    const id = await find();
    const states: Decided[] = ['pending', 'confirmed', 'pending', 'orphaned', 'confirmed', 'pending'];
    await Promise.all([...states, ...states].map((state) => see(id, state)));
    await see(id, 'confirmed');
    expect(await balancesOf('due')).toEqual({ a: '2.5', b: '7.5' });
    await expectBalanced();
  });

  it('prop: counts the work since the block before, and that of an orphan again', async () => {
    await mine({ a: 1n });
    const first = await find();
    await see(first, 'confirmed');
    await mine({ b: 1n });
    const second = await find();
    await see(second, 'pending');
    expect(await balancesOf('expected')).toEqual({ b: '10' });
    await see(second, 'orphaned');
    await mine({ a: 3n });
    await see(await find(), 'confirmed');
    expect(await balancesOf('due')).toEqual({ a: '17.5', b: '2.5' });
    await expectBalanced();
  });

  it('solo: gives all to the finder, less the fee', async () => {
    await mine({ a: 1n, b: 99n });
    const rules = { ...PROP, scheme: 'solo' as const, fees: { basisPoints: 150, overrides: new Map() } };
    await see(await find('a'), 'confirmed', rules);
    expect(await balancesOf('due')).toEqual({ a: '9.85', operator: '0.15' });
    await expectBalanced();
  });

  it('pplns: counts the last work, as far as the window goes', async () => {
    await mine({ old: 1000n }, FOUND_MS - 3 * 86_400_000);
    await mine({ a: 300n, b: 100n }, FOUND_MS - 3_600_000);
    await mine({ a: 100n }, FOUND_MS - 20_000);
    await mine({ late: 500n }, FOUND_MS + 60_000);
    const window = { of: 'difficulty' as const, permille: 300_000n };
    await see(await find('a', FOUND_MS), 'confirmed', { ...PROP, scheme: 'pplns', pplnsWindow: window }, '3');
    expect(await balancesOf('due')).toEqual({ a: '2.5', b: '0.5' });
    const laterMs = FOUND_MS + 1_800_000;
    await mine({ a: 100n }, laterMs - 20_000);
    await see(
      await find('a', laterMs),
      'pending',
      { ...PROP, scheme: 'pplns', pplnsWindow: { of: 'time', ms: 60_000 } },
      '3',
    );
    expect(await balancesOf('expected')).toEqual({ a: '3' });
    const all = { of: 'difficulty' as const, permille: 10n ** 9n };
    await see(await find('a', laterMs), 'confirmed', { ...PROP, scheme: 'pplns', pplnsWindow: all }, '21');
    expect(await balancesOf('due')).toEqual({ a: '7.5', b: '1.5', old: '10', late: '5' });
    await expectBalanced();
  });

  it('divides what an account earns of blocks that are found later, to the last unit, one level only, and back', async () => {
    const name = (two: string): string => `k:${two.repeat(32)}`;
    const [a, b, c] = [name('aa'), name('bb'), name('cc')];
    const named = (account: string, to: readonly (readonly [string, number])[]) =>
      setAccountTerms(
        books.pool,
        account,
        { beneficiaries: to.map(([of, basisPoints]) => ({ account: of, basisPoints })) },
        'a test',
      );
    await named(a, [
      [b, 3333],
      [c, 1],
    ]);
    await named(b, [[c, 10_000]]);
    // They were named when it was found.
    await books.pool.query("UPDATE beneficiary SET valid_from = '2023-01-01'");
    await mine({ [a]: 1n });
    const id = await find(a);
    await see(id, 'confirmed', PROP, '0.000000000100');
    expect(await balancesOf('due')).toEqual({ [a]: '0.000000000067', [b]: '0.000000000033' });
    await expectBalanced();
    await see(id, 'orphaned');
    expect(await balancesOf('due')).toEqual({});
    await see(id, 'confirmed', PROP, '10');
    expect(await balancesOf('due')).toEqual({ [a]: '6.666', [b]: '3.333', [c]: '0.001' });
    await expectBalanced();
    const { rows } = await books.pool.query('SELECT code, count(*)::int FROM transfer GROUP BY 1 ORDER BY 1');
    expect(rows).toContainEqual({ code: 'divided reversed', count: 1 });
    // Of a block that is found before they were named nothing is divided.
    await books.pool.query('UPDATE beneficiary SET valid_from = now()');
    await mine({ [a]: 1n });
    await see(await find(a), 'confirmed', PROP, '1');
    expect(await balancesOf('due')).toMatchObject({ [a]: '7.666', [b]: '3.333' });
    await expectBalanced();
  });

  it('gives the operator what nobody’s account has earned', async () => {
    await mine({ '': 1n, a: 1n });
    const rules = { ...PROP, fees: { basisPoints: 1000, overrides: new Map() } };
    await see(await find(), 'confirmed', rules);
    expect(await balancesOf('due')).toEqual({ a: '4.5', operator: '5.5' });
    await expectBalanced();
  });

  it('pays the operator when there is no work at all', async () => {
    await see(await find(), 'confirmed');
    expect(await balancesOf('due')).toEqual({ operator: '10' });
    await expectBalanced();
  });

  it('pps: pays each share its expected value when its ten minutes are over, once, whatever blocks come', async () => {
    const schedule = [
      { fromHeight: 0, amount: coins('9') },
      { fromHeight: 1000, amount: coins('2') },
    ];
    const pps: RewardRules = { ...PROP, scheme: 'pps', schedule };
    const rules = async (at = new Date()) => (at.getTime() < FOUND_MS ? PROP : pps);
    await books.pool.query(
      "INSERT INTO chain (id, network, cursor, head_height) VALUES (9, 'test', 'hash', 1060)",
    );
    await books.pool.query("INSERT INTO chain_block VALUES (9, 1000, 'hash', 1, 1, 1, 1)");
    await mine({ before: 500_000n }, FOUND_MS - 600_000);
    await mine({ a: 250_000n, b: 3_000_000n, '': 700n }, FOUND_MS + 600_000);
    await mine({ now: 700n }, Date.now());
    await settleAll(books.pool, rules);
    await settleAll(books.pool, rules);
    expect(await balancesOf('due')).toEqual({ a: '0.5', b: '2', operator: '-2.5' });
    await see(await find(), 'confirmed', pps, '2');
    expect(await balancesOf('due')).toEqual({ a: '0.5', b: '2', operator: '-0.5' });
    expect(await listIn(books.pool, 'operator')).toMatchObject([
      { name: 'operator', balance: '-0.500000000000' },
      { name: 'chain 3', balance: '2.000000000000', expected: null },
    ]);
    await expectBalanced();
  });

  it('pps: waits for what a bridge may yet bring, and for the height where the reward depends on it', async () => {
    const amount = coins('2');
    const pps: RewardRules = { ...PROP, scheme: 'pps', schedule: [{ fromHeight: 0, amount }] };
    const silent = randomUUID();
    await books.pool.query('INSERT INTO log (id, shares, work, watermark) VALUES ($1, 0, 0, $2)', [
      silent,
      new Date(FOUND_MS),
    ]);
    await mine({ a: 250_000n }, FOUND_MS);
    await settleAll(books.pool, pps);
    expect(await balancesOf('due')).toEqual({});
    await mine({ a: 250_000n }, FOUND_MS + 30_000);
    await books.pool.query('UPDATE log SET ended = true WHERE id = $1', [silent]);
    const steps: RewardRules = { ...pps, schedule: [...pps.schedule, { fromHeight: 5, amount: coins('1') }] };
    await settleAll(books.pool, steps);
    expect(await balancesOf('due')).toEqual({});
    await settleAll(books.pool, pps);
    expect(await balancesOf('due')).toEqual({ a: '1', operator: '-1' });
    await expectBalanced();
  });
});

describe('verify', () => {
  it('finds nothing wrong with a block that was confirmed just now, and pays something else than was expected', async () => {
    await mine({ a: 5n, b: 5n });
    const id = await find();
    await see(id, 'pending');
    await sawBlock(books.pool, id, 'confirmed', { reward: coins('7') });
    expect(await balancesOf('expected')).toEqual({ a: '3.5', b: '3.5' });
    await expectBalanced();
    await settleAll(books.pool, PROP);
    expect([await balancesOf('expected'), await balancesOf('due')]).toEqual([{}, { a: '3.5', b: '3.5' }]);
    await expectBalanced();
  });

  it('finds every way in which the books may be wrong', async () => {
    await mine({ a: 5n, b: 5n });
    await see(await find(), 'confirmed');
    await preparePayout(books.pool, { minimum: coins('1') });
    await expectBalanced();
    const spoil: [string, string][] = [
      ['UPDATE transfer SET amount = amount + 1', 'balances'],
      ['UPDATE transfer SET amount = amount + 1', 'blocks'],
      ['DELETE FROM transfer', 'blocks'],
      ['UPDATE balance SET amount = amount + 1', 'balances'],
      ['UPDATE balance SET paid = paid + 1', 'balances'],
      ['UPDATE balance SET paid = paid + 1', 'payouts'],
      ["UPDATE block SET state = 'orphaned'", 'blocks'],
      ['UPDATE block SET split_from = NULL', 'blocks'],
      ['UPDATE block SET split_total = split_total + 1', 'blocks'],
      ["INSERT INTO closed_day VALUES ('2023-11-14', 1, '')", 'days'],
      ["INSERT INTO pps_period VALUES ('2023-11-14', 1, 1, 1)", 'pps'],
      ['UPDATE block_weight SET work[1] = work[1] + 1', 'weights'],
      ['UPDATE block SET round_work = round_work + 1', 'shares'],
      ["UPDATE payout_line SET state = 'sent'", 'payouts'],
      ['UPDATE log SET work = work + 1', 'shares'],
      ['UPDATE rig_work SET work = work + 1 WHERE kind = 0', 'minutes'],
    ];
    for (const [sql, name] of spoil) {
      const client = await books.pool.connect();
      await client.query('BEGIN');
      await client.query(sql);
      const ask: Ask = (statement, ...given) => rowsOf(client, statement, ...given);
      const broken = (await runChecks(ask)).filter((proof) => proof.broken.length > 0);
      await client.query('ROLLBACK');
      client.release();
      expect(broken.map((proof) => proof.name)).toContain(name);
    }
    await expectBalanced();
  });
});

describe('reward rules', () => {
  it('knows the reward of a height', () => {
    const schedule = [
      { fromHeight: 0, amount: 3n },
      { fromHeight: 100, amount: 2n },
    ];
    expect([0, 99, 100, 1e9].map((height) => scheduledReward(schedule, height))).toEqual([3n, 3n, 2n, 2n]);
    expect(scheduledReward([], 5)).toBe(0n);
    expect(formatAmount(3n)).toBe('0.000000000003');
  });
});

describe('reports', () => {
  it('show accounts with their work and money', async () => {
    await mine({ a: 5n, b: 5n });
    const rejection = { account: 'b', rig: 'r1', sinceMs: FOUND_MS };
    const rejections = [
      { ...rejection, reason: 'stale' as const, submits: 2, work: 14n },
      { ...rejection, reason: 'lowDifficulty' as const, submits: 1, work: 7n },
    ];
    await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares: [], rejections }));
    await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares: [], rejections }));
    const { rows } = await books.pool.query(
      'SELECT kind, submits, work FROM rig_work WHERE kind > 0 ORDER BY kind',
    );
    expect(rows).toEqual([
      { kind: kindNumber('stale'), submits: '4', work: '28' },
      { kind: kindNumber('lowDifficulty'), submits: '2', work: '14' },
    ]);
    await see(await find(), 'pending');
    expect(await listIn(books.pool, 'accounts')).toContainEqual({
      account: 'b',
      rigs: 1,
      shares: 1,
      work: '5',
      best: 5,
      rejected: 6,
      rejectedWork: '42',
      due: '0.000000000000',
      expected: '5.000000000000',
      paying: '0.000000000000',
      paid: '0.000000000000',
    });
    expect(await dueOf(books.pool, 'b')).toBe(0n);
  });
});
