/** Payments on chain over HTTP, on real books: what is read, what is ordered, by whom, and what is refused. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCommand } from '../../src/assembly/books/command-reader.js';
import type { PayerSeat } from '../../src/bridge/payouts/payer-books.js';
import { openPayoutDesk } from '../../src/ledger/payments/payout-desk.js';
import { openPayerDesk } from '../../src/ledger/transactions/payer-desk.js';
import { type OpenBooksWatch, openBooksWatch } from '../../src/ledger/watch/watch.js';
import { useBooks } from '../helpers/books.js';
import { coins, earn, paid, sendAll, takeSeat } from '../helpers/chain-payments.js';
import { ADMIN, bearer, READ } from '../helpers/guarded-web.js';
import { idleBridge } from '../helpers/idle-bridge.js';
import { coinsIn } from '../helpers/money.js';
import { type Method, type SteeredWeb, startSteeredWeb } from '../helpers/steered-web.js';

const books = useBooks();
const APPROVE = 'approve-token-of-this-test';
const HASH = createHash('sha256').update('these lines').digest('hex');
let web: SteeredWeb;
let watch: OpenBooksWatch;

beforeAll(async () => {
  const { pool, connectionString, ledger } = books;
  watch = openBooksWatch({ connectionString, ready: ledger.ready });
  const desk = { pool, minimum: coins('1'), look: async () => {}, isOnChain: true };
  web = await startSteeredWeb(
    {},
    {
      sources: { ...idleBridge().sources, books: watch },
      ...{ payouts: openPayoutDesk(desk), payer: openPayerDesk({ pool, check: readCommand }) },
      access: () => ({
        ...{ isPublic: false, hosts: [], origins: [] },
        tokens: { admin: ADMIN, read: READ, approve: APPROVE },
      }),
    },
  );
});
afterAll(async () => {
  await web[Symbol.asyncDispose]();
  await watch.close();
});
beforeEach(() => books.empty());

const PATH = '/api/v1/payouts';
const order = (path: string, body: object, headers: object = bearer(ADMIN)) =>
  web.ask('POST', `${PATH}${path}`, body, headers);
const get = (path: string, method: Method = 'GET') => web.ask(method, `/api/v1${path}`);

async function prepared(approvalsNeeded = 1): Promise<{ readonly seat: PayerSeat; readonly id: string }> {
  await earn(books.pool, { a: '5', b: '4' });
  const seat = await takeSeat(books.pool);
  const due = await seat.due(coins('1'), 9);
  const lines = due.map(({ account, amount }) => ({ account, amount, part: 0, chainId: 0 }));
  const approvalFor = approvalsNeeded > 0 ? 'each batch does' : undefined;
  await seat.prepare({
    lines,
    minimum: coins('1'),
    contentHash: HASH,
    by: 'test',
    approvalFor,
    approvalsNeeded,
  });
  const { rows } = await books.pool.query<{ id: string }>('SELECT max(id)::text AS id FROM payout');
  return { seat, id: rows[0]?.id ?? expect.fail() };
}

describe('a batch', () => {
  it('is read with what an approval needs, line by line, to the evidence of each payment', async () => {
    const { seat, id } = await prepared(0);
    const [first = expect.fail()] = await sendAll(seat);
    await seat.found([paid(first.id)]);
    expect((await get('/payouts')).body).toMatchObject({
      payouts: [{ id, paidBy: 'chain', contentHash: HASH, approval: null, isSettled: false }],
    });
    expect((await get(`/payouts/${id}/lines`)).body).toMatchObject({
      total: 2,
      lines: [
        {
          account: 'a',
          transaction: 'confirmed',
          requestKey: first.requestKey,
          blockHeight: 7,
          blockHash: 'h7',
        },
        { account: 'b', transaction: 'sent', blockHash: null, gasPaid: null },
      ],
    });
    expect((await get(`/payouts/${id}/lines?offset=1`)).body).toMatchObject({
      total: 2,
      lines: [{ account: 'b' }],
    });
    expect((await get('/payouts/999/lines')).status).toBe(404);
    expect((await get(`/payments/${first.paymentId}/evidence`)).body).toMatchObject({
      line: { account: 'a', state: 'confirmed' },
      attempts: [{ cmd: first.cmd, requestKey: first.requestKey }],
      events: [{ was: 'sent', now: 'confirmed', evidence: { node: 'n' } }, {}, {}],
    });
    expect((await get('/payments/999/evidence')).status).toBe(404);
    expect((await get('/payments/no%20key/evidence')).status).toBe(400);
    expect((await get('/accounts/a')).body).toMatchObject({
      payments: [{ state: 'confirmed', chainId: 0, requestKey: first.requestKey, blockHeight: 7 }],
      payout: { minimum: null, wishedChain: null, held: null },
    });
  });

  it('is approved by id and content, once by each, and the state is told where that is late', async () => {
    const { seat, id } = await prepared(2);
    const other = await order(`/${id}/approve`, { contentHash: 'cd'.repeat(32) });
    expect(other).toMatchObject({
      status: 409,
      body: {
        error: expect.stringContaining(`has the content hash ${HASH}`),
        payout: { approval: { given: 0 } },
      },
    });
    expect((await order(`/${id}/approve`, { contentHash: 'short' })).status).toBe(400);
    const first = await order(`/${id}/approve`, { contentHash: HASH }, bearer(APPROVE));
    expect(first).toMatchObject({
      status: 200,
      body: { missing: 1, payout: { approval: { needed: 2, given: 1 } } },
    });
    expect(await order(`/${id}/approve`, { contentHash: HASH })).toMatchObject({ body: { missing: 0 } });
    expect(await seat.open(9)).toHaveLength(2);
    expect((await order('/999/approve', { contentHash: HASH })).status).toBe(404);
  });

  it('is rejected with a reason', async () => {
    const { id } = await prepared();
    expect((await order(`/${id}/reject`, { note: '' })).status).toBe(400);
    expect(await order(`/${id}/reject`, { note: 'wrong fee' }, bearer(APPROVE))).toMatchObject({
      status: 200,
      body: { payout: { isRejected: true, isSettled: true, note: 'wrong fee' } },
    });
    expect(await coinsIn(books.pool, 'balance')).toEqual({ a: '5', b: '4' });
    expect(await order(`/${id}/reject`, { note: 'again' })).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('was rejected'), payout: { isRejected: true } },
    });
  });

  it('is asked of the bridge that pays', async () => {
    const seat = await takeSeat(books.pool);
    expect((await order('', {}, bearer(APPROVE))).body).toEqual({ payout: null, isAsked: true });
    expect((await seat.state()).isAsked).toBe(true);
  });
});

describe('the payer', () => {
  it('is paused and resumed, and tells how it stands', async () => {
    expect((await order('/payer/pause', { note: 'I look first' }, bearer(APPROVE))).body).toMatchObject({
      paused: { kind: 'operator', says: 'I look first', by: 'approve token' },
    });
    await expect
      .poll(async () => (await get('/payouts/payer')).body)
      .toMatchObject({ isPaying: false, paused: { kind: 'operator' } });
    expect((await order('/payer/resume', { note: 'looked' })).body).toMatchObject({ paused: null });
  });

  it('is not resumed while checks of money fail, but where somebody wants it anyway', async () => {
    await earn(books.pool, { a: '5' });
    await order('/payer/pause', { note: 'x' });
    await books.pool.query(
      "UPDATE balance SET amount = amount + 1 WHERE book = 'balance' AND account_id <> 0",
    );
    expect(await order('/payer/resume', { note: 'y' })).toMatchObject({
      status: 409,
      body: {
        error: expect.stringContaining('checks of the books fail (balances'),
        payer: { paused: { says: 'x' } },
      },
    });
    expect((await order('/payer/resume', { note: 'y', anyway: true })).body).toMatchObject({ paused: null });
  });

  it('holds an account and allows it again', async () => {
    await earn(books.pool, { a: '5' });
    const held = await order('/payer/hold', {
      account: 'a',
      chainId: 3,
      note: 'asked',
      until: '2999-01-01T00:00:00Z',
    });
    expect(held.body).toMatchObject({
      holds: [{ account: 'a', chainId: 3, until: '2999-01-01T00:00:00.000Z' }],
    });
    // Answers are shared for a second.
    await expect
      .poll(async () => (await get('/payouts/payer')).body)
      .toMatchObject({ holds: [{ account: 'a', by: 'admin token' }] });
    expect((await order('/payer/allow', { account: 'a', note: 'well' })).body).toEqual({ holds: [] });
    expect((await order('/payer/allow', { account: 'a', note: 'well' })).status).toBe(409);
    expect(await order('/payer/hold', { account: 'alcie', note: 'x' })).toMatchObject({
      status: 409,
      body: { error: 'the books have no account "alcie"' },
    });
  });
});

describe('orders', () => {
  it('of each token are those that it may give', async () => {
    const { id } = await prepared();
    for (const [path, body] of [
      ['/payer/resume', { note: 'x' }],
      ['/payer/hold', { account: 'a', note: 'x' }],
      [`/${id}/paid`, {}],
    ] as const) {
      expect((await order(path, body, bearer(APPROVE))).status).toBe(403);
      expect((await order(path, body, bearer(READ))).status).toBe(403);
    }
    for (const path of [`/${id}/approve`, `/${id}/reject`, '/payer/pause'])
      for (const [who, status] of [
        [bearer(READ), 403],
        [{}, 401],
      ] as const)
        expect((await order(path, { note: 'x', contentHash: HASH }, who)).status).toBe(status);
    expect((await web.ask('GET', '/api/v1/standing', undefined, bearer(APPROVE))).body).toEqual({
      standing: 'approve',
    });
  });

  it('with an Idempotency-Key are given once, and another one under it is refused', async () => {
    const { id } = await prepared();
    const keyed = { ...bearer(ADMIN), 'idempotency-key': 'one' };
    const first = await order(`/${id}/reject`, { note: 'no' }, keyed);
    expect([first.status, await order(`/${id}/reject`, { note: 'no' }, keyed)]).toEqual([200, first]);
    expect(await order(`/${id}/reject`, { note: 'other' }, keyed)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('this Idempotency-Key came with another order') },
    });
    expect((await order(`/${id}/reject`, { note: 'no' })).status).toBe(409);
  });
});
