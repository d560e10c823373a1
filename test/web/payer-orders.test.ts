/** Payments on chain over HTTP, on real books: what is read, what is ordered, by whom, and what is refused. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCommand } from '../../src/assembly/books/command-reader.js';
import type { PayerSeat } from '../../src/bridge/payouts/payer-books.js';
import { generateMinerKeys, type MinerKeys } from '../../src/commands/keygen/keys.js';
import { bookOrders } from '../../src/ledger/watch/orders.js';
import { type OpenBooksWatch, openBooksWatch } from '../../src/ledger/watch/watch.js';
import { contentHash } from '../../src/payouts/plan/content-hash.js';
import { useBooks } from '../helpers/books/books.js';
import { coinsIn } from '../helpers/books/money.js';
import { temporaryFolder } from '../helpers/folder.js';
import { coins, earn, paid, sendAll, takeSeat } from '../helpers/payouts/chain-payments.js';
import { signText } from '../helpers/payouts/owner-signature.js';
import { runHere } from '../helpers/processes/command.js';
import { idleBridge } from '../helpers/web/idle-bridge.js';
import { ADMIN, bearer, READ, RULES, SECRETS } from '../helpers/web/operators.js';
import { type Method, type SteeredWeb, startSteeredWeb } from '../helpers/web/steered-web.js';

const books = useBooks();
const APPROVE = SECRETS.approve;
/** Of `a` with 5 and `b` with 4, on chain 0. */
const HASH = contentHash([
  { account: 'a', chainId: 0, amount: coins('5') },
  { account: 'b', chainId: 0, amount: coins('4') },
]);
let web: SteeredWeb;
let watch: OpenBooksWatch;

beforeAll(async () => {
  const { pool, connectionString, ledger } = books;
  watch = openBooksWatch({ connectionString, ready: ledger.ready });
  web = await startSteeredWeb(
    {},
    {
      sources: { ...idleBridge().sources, books: watch },
      payouts: bookOrders({
        ...{ pool, check: readCommand, minimum: coins('1') },
        ...{ isOnChain: true, chains: () => [0, 1, 2, 3] },
      }),
      access: () => ({
        ...RULES,
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
    const other = await order(`/${id}/approve`, { hash: 'cd'.repeat(32) });
    expect(other).toMatchObject({
      status: 409,
      body: {
        error: expect.stringContaining(`has the content hash ${HASH}`),
        payout: { approval: { given: 0 } },
      },
    });
    expect((await order(`/${id}/approve`, { hash: 'short' })).status).toBe(400);
    const first = await order(`/${id}/approve`, { hash: HASH }, bearer(APPROVE));
    expect(first).toMatchObject({
      status: 200,
      body: { missing: 1, payout: { approval: { needed: 2, given: 1 } } },
    });
    expect(await order(`/${id}/approve`, { hash: HASH })).toMatchObject({ body: { missing: 0 } });
    expect(await seat.open(9)).toHaveLength(2);
    expect((await order('/999/approve', { hash: HASH })).status).toBe(404);
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
    expect((await order('/payer/resume', { note: 'looked' })).body).toMatchObject({
      ...{ payer: { paused: null }, former: 'I look first', accepted: [], failing: [] },
    });
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
    expect((await order('/payer/resume', { note: 'y', anyway: true })).body).toMatchObject({
      payer: { paused: null },
      failing: [expect.stringMatching(/^balances: /)],
    });
  });

  it('holds an account and allows it again', async () => {
    await earn(books.pool, { a: '5' });
    const held = await order('/payer/hold', {
      account: 'a',
      chain: 3,
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
    expect((await order('/payer/allow', { account: 'a', note: 'well' })).body).toEqual({
      account: 'a',
      holds: [],
    });
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
      [`/${id}/mark`, { outcome: 'sent' }],
    ] as const) {
      expect((await order(path, body, bearer(APPROVE))).status).toBe(403);
      expect((await order(path, body, bearer(READ))).status).toBe(403);
    }
    for (const path of [`/${id}/approve`, `/${id}/reject`, '/payer/pause'])
      for (const [who, status] of [
        [bearer(READ), 403],
        [{}, 401],
      ] as const)
        expect(
          (await order(path, path.endsWith('approve') ? { hash: HASH } : { note: 'x' }, who)).status,
        ).toBe(status);
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
    // Of somebody else it is another key, and what was refused may be given again.
    const asApprover = { ...keyed, ...bearer(APPROVE) };
    expect((await order(`/${id}/reject`, { note: 'other' }, asApprover)).status).toBe(409);
    expect(await order(`/${id}/reject`, { note: 'another' }, asApprover)).toMatchObject({
      body: { error: expect.stringContaining('was rejected') },
    });
  });
});

describe('a wish', () => {
  /** As a miner makes it, of keys in a file. */
  async function signed(keys: MinerKeys, ...words: string[]): Promise<{ wish: string; signature: string }> {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'account.json');
    await writeFile(file, JSON.stringify(keys));
    const { code, text } = await runHere('keygen', ['wish', file, ...words]);
    expect(code).toBe(0);
    return JSON.parse(text);
  }
  const send = (account: string, body: object) =>
    web.ask('POST', `/api/v1/accounts/${account}/wish`, body, {});
  const wishOf = async (account: string) => (await get(`/accounts/${account}`)).body['payout'];

  it('of whoever has the key of the account sets its minimum and chain, without a token', async () => {
    const keys = generateMinerKeys();
    await earn(books.pool, { [keys.account]: '5' });
    const first = await signed(keys, '--minimum', '4.5', '--chain', '3');
    expect(await send(keys.account, first)).toEqual({ status: 200, body: { wished: true } });
    expect(await wishOf(keys.account)).toMatchObject({ minimum: '4.500000000000', wishedChain: 3 });
    // The same once more, and another one of the same minute.
    for (const again of [first, await signed(keys)])
      expect(await send(keys.account, again)).toMatchObject({
        status: 409,
        body: { error: expect.stringContaining('is not later than the last one of the account') },
      });
    expect(await wishOf(keys.account)).toMatchObject({ wishedChain: 3 });
  });

  it('of anybody else, of another text or of a time to come changes nothing, and says why', async () => {
    const [keys, other] = [generateMinerKeys(), generateMinerKeys()];
    const { account } = keys;
    await earn(books.pool, { [account]: '5', alice: '5' });
    const good = await signed(keys, '--minimum', '4');
    const of = (wish: object | string) => {
      const text = typeof wish === 'string' ? wish : JSON.stringify(wish);
      return { wish: text, signature: signText(keys.secretKey, text) };
    };
    const wish = { account, minimum: '4', chain: null, time: new Date().toISOString() };
    for (const [to, body, status, says] of [
      [account, { ...good, wish: good.wish.replace('4', '9') }, 403, 'the signature is none of the key'],
      [account, await signed(other), 403, 'the signature is none of the key'],
      ['alice', good, 403, 'only an account of k:'],
      [account, of({ ...wish, account: other.account }), 400, 'the wish is of another account'],
      [account, of({ ...wish, time: '2999-01-01T00:00:00Z' }), 400, 'has not come yet'],
      [account, of({ ...wish, minimum: '0.5' }), 400, 'nobody is paid below 1.0'],
      // WB13
      [
        account,
        of({ ...wish, chain: 2 ** 31 - 1 }),
        400,
        'the network has no chain 2147483647: its chains are 0 to 3',
      ],
      [account, of({ ...wish, minimum: '-1' }), 400, 'is no amount above zero'],
      [account, of({ ...wish, more: 1 }), 400, 'the wish is JSON such as'],
      [account, of('no JSON'), 400, 'the wish is JSON such as'],
      [account, { ...good, signature: 'ab' }, 400, 'an Ed25519 signature of 128 hex digits'],
      [other.account, await signed(other), 409, 'the books have no account'],
    ] as const)
      expect(await send(to, body)).toMatchObject({ status, body: { error: expect.stringContaining(says) } });
    expect(await wishOf(account)).toMatchObject({ minimum: null, wishedChain: null });
  });

  it('is signed of keys as keygen writes them, and of nothing else', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'other.json');
    await writeFile(file, '{"secretKey":"not one"}');
    const made = await runHere('keygen', ['wish', file]);
    expect([made.code, made.text]).toEqual([1, '']);
    expect(made.stderr).toContain('holds no keys as `stratum-bridge keygen --out FILE` writes them');
    expect(made.stderr).not.toContain('not one');
    expect((await runHere('keygen', ['wish', join(folder.path, 'none')])).code).toBe(1);
    for (const flags of [
      ['--minimum', '0'],
      ['--chain', '-1'],
      ['--chain', 'x'],
    ])
      expect((await runHere('keygen', ['wish', file, ...flags])).code).toBe(2);
  });
});
