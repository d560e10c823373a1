/** Payouts by order over HTTP, on real books. */

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setAsideOf } from '../../src/assembly/books/set-aside.js';
import { parseAmount } from '../../src/core/money/amount.js';
import { SILENT } from '../../src/core/names/log.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { markPayout } from '../../src/ledger/payments/mark.js';
import { REWARD_RULES } from '../../src/ledger/rules/rule-table.js';
import { writeFirstRules } from '../../src/ledger/rules/rules.js';
import { timelineBook } from '../../src/ledger/timeline.js';
import { bookOrders } from '../../src/ledger/watch/orders.js';
import { type OpenBooksWatch, openBooksWatch } from '../../src/ledger/watch/watch.js';
import { useBooks } from '../helpers/books/books.js';
import { recordSolution } from '../helpers/books/record-solution.js';
import { newestBlock, sawBlock, settleAll } from '../helpers/books/settlement.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';
import { makeSolution } from '../helpers/rigs/solutions.js';
import { idleBridge } from '../helpers/web/idle-bridge.js';
import { ADMIN, bearer, SECRETS } from '../helpers/web/operators.js';
import { type SteeredWeb, startSteeredWeb } from '../helpers/web/steered-web.js';

const books = useBooks();
const MINIMUM = parseAmount('3') ?? 0n;
const BY = 'admin token';
/** Where no database is. */
const NOWHERE = 'postgres://127.0.0.1:1/x';
let web: SteeredWeb;
let watch: OpenBooksWatch;

beforeAll(async () => {
  watch = openBooksWatch({ connectionString: books.connectionString, ready: books.ledger.ready });
  const sources = { ...idleBridge().sources, books: watch };
  web = await startSteeredWeb({}, { sources, payouts: ordersOf(books.pool) });
});
afterAll(async () => {
  await web[Symbol.asyncDispose]();
  await watch.close();
});
beforeEach(async () => {
  await books.empty();
  await writeFirstRules(books.pool, { ...REWARD_RULES, minimum: MINIMUM }, 'a test');
});

/** A block of ten coins, by work, deep enough to be paid. */
async function earn(): Promise<void> {
  const shares = Object.entries({ a: 5n, b: 3n, c: 2n }).map(([account, difficulty]) =>
    makeShare({ account, difficulty }),
  );
  await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections: [] }));
  await recordSolution(books.ledger, makeSolution({}, { height: 1 }), 'received', '');
  const block = await newestBlock(books.pool);
  const rules = { ...REWARD_RULES, scheme: 'prop' as const, fees: { basisPoints: 0, overrides: new Map() } };
  await sawBlock(books.pool, block, 'confirmed', { reward: parseAmount('10') ?? 0n });
  await settleAll(books.pool, rules);
}

const prepare = () => web.ask('POST', '/api/v1/payouts');
const mark = (id: unknown, outcome: string, note = '') =>
  web.ask('POST', `/api/v1/payouts/${id}/mark`, { outcome, ...(note === '' ? {} : { note }) });

function ordersOf(pool: pg.Pool) {
  return bookOrders({ pool, chains: () => [] });
}

async function told(): Promise<unknown[]> {
  const lines = await timelineBook(books.pool).readLines({ limit: 100 });
  const others = lines.filter(({ kind }) => kind !== 'rootSigned');
  return others.map(({ kind, by }) => [kind, by]).reverse();
}

describe('a payout', () => {
  it('is prepared of what is due, once however often that is ordered, and marked as paid', async () => {
    expect(await prepare()).toEqual({ status: 200, body: { payout: null } });
    await earn();
    const { status, body } = await prepare();
    const payout = body['payout'] as { id: string; name: string };
    expect([status, payout]).toMatchObject([
      200,
      { state: 'prepared', accounts: 2, total: '8.000000000000', minimum: '3.000000000000', note: '' },
    ]);
    expect((await Promise.all([prepare(), prepare()])).map(({ body: again }) => again)).toEqual([body, body]);
    const paid = await mark(payout.id, 'sent', 'request key 7');
    expect(paid).toMatchObject({
      status: 200,
      body: { payout: { id: payout.id, state: 'sent', note: 'request key 7', accounts: 2 } },
    });
    // It is final, and the same again changes nothing.
    expect((await mark(payout.id, 'sent')).body).toEqual(paid.body);
    expect(paid.body['payout']).toMatchObject({
      name: payout.name,
      chainId: null,
      payments: { prepared: 0, sent: 2, failed: 0 },
    });
    expect(await mark(payout.id, 'failed')).toMatchObject({
      status: 409,
      body: {
        payout: { state: 'sent' },
        error: `payout ${payout.name} is sent, which is final but for payments that are named one by one`,
      },
    });
    expect((await prepare()).body).toEqual({ payout: null });
    expect(await told()).toEqual([
      ['blockConfirmed', null],
      ['payoutPrepared', BY],
      ['payoutMarked', BY],
    ]);
  });

  it('of which a single payment failed is told as the others are, with how many are what', async () => {
    await earn();
    const { id, name } = (await prepare()).body['payout'] as { id: string; name: string };
    await mark(id, 'sent');
    await markPayout(books.pool, name, { outcome: 'failed', accounts: ['b'] });
    await markPayout(books.pool, name, { outcome: 'confirmed', accounts: ['a'], requestKey: 'key of a' });
    const said = (await mark(id, 'sent')).body['payout'];
    expect(said).toMatchObject({
      state: 'sent',
      payments: { sent: 0, confirmed: 1, failed: 1 },
      accounts: 2,
    });
  });

  it('that failed gives its amounts back, also after nobody knew', async () => {
    await earn();
    const { id } = (await prepare()).body['payout'] as { id: string };
    expect((await mark(id, 'unknown', 'no answer')).body).toMatchObject({ payout: { state: 'unknown' } });
    expect((await prepare()).body).toEqual({ payout: null });
    expect((await mark(id, 'failed')).body).toMatchObject({ payout: { state: 'failed' } });
    const again = (await prepare()).body['payout'] as { id: string };
    expect(again).toMatchObject({ state: 'prepared', total: '8.000000000000' });
    expect(again.id).not.toBe(id);
  });

  it.each([
    [
      'stands still',
      "trouble = 'no node answers'",
      /^nothing is prepared: chain 3 stands still: no node answers\. /,
    ],
    ['is behind', 'behind = 7', /^nothing is prepared: chain 3 is 7 blocks behind\. /],
    [
      'was not looked at',
      "followed_at = now() - interval '11 minutes'",
      /^nothing is prepared: chain 3 stands still: it was not looked at since .*: start a bridge\. /,
    ],
  ])('is refused while a chain %s, and prepared when all are followed', async (_, spoiled, words) => {
    await earn();
    await books.pool.query(
      "INSERT INTO chain (id, network, head_height) VALUES (2, 'test', 9), (3, 'test', 9)",
    );
    await books.pool.query(`UPDATE chain SET ${spoiled} WHERE id = 3`);
    expect(await prepare()).toMatchObject({ status: 409, body: { error: expect.stringMatching(words) } });
    expect(await told()).toEqual([['blockConfirmed', null]]);
    await books.pool.query("UPDATE chain SET trouble = '', behind = 0, followed_at = now()");
    expect(await prepare()).toMatchObject({ status: 200, body: { payout: { total: '8.000000000000' } } });
  });

  it('that there is not is unknown, and what is no number of one is wrong', async () => {
    expect(await mark('77', 'sent')).toEqual({ status: 404, body: { error: 'there is no payout 77' } });
    expect((await mark('x', 'sent')).status).toBe(400);
    const long = await mark('77', 'sent', 'x'.repeat(501));
    expect([long.status, long.body]).toMatchObject([
      400,
      { error: expect.stringMatching(/^note is a text of/) },
    ]);
    expect(await told()).toEqual([]);
  });
});

it('its lines are read a part at a time, and so are the payments of an account', async () => {
  await earn();
  const { id, name } = (await prepare()).body['payout'] as { id: string; name: string };
  await markPayout(books.pool, name, {
    outcome: 'sent',
    accounts: ['a'],
    requestKey: 'key of a',
    note: 'tx',
  });
  const get = (path: string) => web.ask('GET', `/api/v1${path}`);
  const a = { account: 'a', state: 'sent', requestKey: 'key of a', note: 'tx', chainId: null };
  for (const which of [id, name])
    expect((await get(`/payouts/${which}/lines`)).body).toMatchObject({
      total: 2,
      lines: [a, { account: 'b', state: 'prepared', requestKey: null, amount: '3.000000000000' }],
    });
  expect((await get(`/payouts/${id}/lines?offset=1`)).body).toMatchObject({
    ...{ total: 2, lines: [{ account: 'b' }] },
  });
  expect((await get('/payouts/999/lines')).status).toBe(404);
  expect((await get('/payouts')).body).toMatchObject({ payouts: [{ id, name, isSettled: false }] });
  expect((await get('/accounts/a')).body).toMatchObject({
    payments: [{ payout: name, state: 'sent', requestKey: 'key of a' }],
    payout: { minimum: null, wishedChain: null, wishedAt: null },
  });
});

describe('orders', () => {
  it('of each token are those that it may give', async () => {
    await earn();
    const ordered = async (path: string, body: object, headers: object) =>
      (await web.ask('POST', `/api/v1/payouts${path}`, body, headers)).status;
    const statuses = (path: string, body: object) =>
      Promise.all([{}, bearer(SECRETS.read), bearer(SECRETS.operate)].map((who) => ordered(path, body, who)));
    expect(await statuses('', {})).toEqual([401, 403, 403]);
    expect(await ordered('', {}, bearer(SECRETS.approve))).toBe(200);
    const mark = { outcome: 'sent' };
    expect(await statuses('/1/mark', mark)).toEqual([401, 403, 403]);
    expect(await ordered('/1/mark', mark, bearer(SECRETS.approve))).toBe(403);
  });

  it('with an Idempotency-Key are given once, and another one under it is refused', async () => {
    await earn();
    const { id } = (await prepare()).body['payout'] as { id: string };
    const order = (outcome: string, headers: object) =>
      web.ask('POST', `/api/v1/payouts/${id}/mark`, { outcome }, headers);
    const keyed = { ...bearer(ADMIN), 'idempotency-key': 'one' };
    const first = await order('unknown', keyed);
    await mark(id, 'failed');
    expect([first.status, await order('unknown', keyed)]).toEqual([200, first]);
    expect(await order('sent', keyed)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('this Idempotency-Key came with another order') },
    });
    // What was refused may be given again.
    const other = { ...keyed, 'idempotency-key': 'two' };
    for (const outcome of ['sent', 'unknown'])
      expect(await order(outcome, other)).toMatchObject({
        ...{ status: 409, body: { error: expect.stringContaining('is failed, which is final') } },
      });
  });
});

it('while the books are away it is told so, and nothing is done', async () => {
  const away = await openLedger({
    ...{ connectionString: NOWHERE, log: SILENT, waits: true },
  });
  await using lost = await startSteeredWeb(
    {},
    {
      payouts: ordersOf(away.pool),
      setAside: setAsideOf(away.pool, { backend: 'redis', url: 'redis://127.0.0.1:1' }, SILENT),
    },
  );
  try {
    const sentence = { error: expect.stringMatching(/^the ledger does not answer now/) };
    expect(await lost.ask('POST', '/api/v1/payouts')).toEqual({ status: 503, body: sentence });
    expect(await lost.ask('POST', '/api/v1/payouts/1/mark', { outcome: 'sent' })).toEqual({
      status: 503,
      body: sentence,
    });
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['POST', '/retry', {}],
      ['POST', '/drop', { id: '7' }],
    ] as const)
      expect(await lost.ask(method, `/api/v1/ledger/entries${path}`, body)).toEqual({
        ...{ status: 503, body: sentence },
      });
  } finally {
    await away.close();
  }
});
