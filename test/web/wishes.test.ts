/** How accounts wish to be paid, over HTTP and on real books: who may say so, and what is refused. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { generateMinerKeys, type MinerKeys } from '../../src/commands/keygen/keys.js';
import { parseAmount } from '../../src/core/money/amount.js';
import { REWARD_RULES } from '../../src/ledger/rules/rule-table.js';
import { writeFirstRules } from '../../src/ledger/rules/rules.js';
import { bookOrders } from '../../src/ledger/watch/orders.js';
import { type OpenBooksWatch, openBooksWatch } from '../../src/ledger/watch/watch.js';
import { useBooks } from '../helpers/books/books.js';
import { giveMoney } from '../helpers/books/money.js';
import { signText } from '../helpers/books/owner-signature.js';
import { temporaryFolder } from '../helpers/folder.js';
import { runHere } from '../helpers/processes/command.js';
import { idleBridge } from '../helpers/web/idle-bridge.js';
import { type SteeredWeb, startSteeredWeb } from '../helpers/web/steered-web.js';

const books = useBooks();
const coins = (text: string): bigint => parseAmount(text) ?? expect.fail(text);
const POOL = 'ab'.repeat(32);
let web: SteeredWeb;
let watch: OpenBooksWatch;

beforeAll(async () => {
  const { pool, connectionString, ledger } = books;
  watch = openBooksWatch({ connectionString, ready: ledger.ready });
  web = await startSteeredWeb(
    {},
    {
      sources: { ...idleBridge().sources, books: watch },
      payouts: bookOrders({ pool, chains: () => [0, 1, 2, 3] }),
    },
  );
});
afterAll(async () => {
  await web[Symbol.asyncDispose]();
  await watch.close();
});
beforeEach(async () => {
  await books.empty();
  await writeFirstRules(books.pool, REWARD_RULES, 'a test');
  await books.pool.query(
    "INSERT INTO root (number, until, text, key, signature) VALUES (1, now(), '', $1, '')",
    [POOL],
  );
});

describe('a wish', () => {
  /** As a miner makes it, of keys in a file. */
  async function signed(keys: MinerKeys, ...words: string[]): Promise<{ wish: string; signature: string }> {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'account.json');
    await writeFile(file, JSON.stringify(keys));
    const { code, text } = await runHere('keygen', ['wish', file, '--pool', POOL, ...words]);
    expect(code).toBe(0);
    return JSON.parse(text);
  }
  const send = (account: string, body: object) =>
    web.ask('POST', `/api/v1/accounts/${account}/wish`, body, {});
  const wishOf = async (account: string) =>
    (await web.ask('GET', `/api/v1/accounts/${account}`)).body['payout'];

  it('of whoever has the key of the account sets its minimum and chain, without a token', async () => {
    const keys = generateMinerKeys();
    await giveMoney(books.pool, keys.account, coins('5'));
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

  it('names whom the account passes parts on to, and shows them', async () => {
    const [keys, other, third] = [generateMinerKeys(), generateMinerKeys(), generateMinerKeys()];
    await giveMoney(books.pool, keys.account, coins('5'));
    const parts = `${other.account}=12.5%,${third.account}=2%`;
    expect(await send(keys.account, await signed(keys, '--beneficiaries', parts))).toMatchObject({
      status: 200,
    });
    expect(await wishOf(keys.account)).toMatchObject({
      beneficiaries: [
        { account: other.account, basisPoints: 1250 },
        { account: third.account, basisPoints: 200 },
      ],
    });
  });

  it('of anybody else, of another text or of a time to come changes nothing, and says why', async () => {
    const [keys, other] = [generateMinerKeys(), generateMinerKeys()];
    const { account } = keys;
    for (const name of [account, 'alice']) await giveMoney(books.pool, name, coins('5'));
    const good = await signed(keys, '--minimum', '4');
    const of = (wish: object | string) => {
      const text = typeof wish === 'string' ? wish : JSON.stringify(wish);
      return { wish: text, signature: signText(keys.secretKey, text) };
    };
    const wish = {
      account,
      pool: POOL,
      minimum: '4',
      chain: null,
      beneficiaries: null,
      time: new Date().toISOString(),
    };
    for (const [to, body, status, says] of [
      [account, { ...good, wish: good.wish.replace('4', '9') }, 403, 'the signature is none of the key'],
      [account, await signed(other), 403, 'the signature is none of the key'],
      ['alice', good, 403, 'only an account of k:'],
      // PA28
      [
        account,
        of({ ...wish, pool: 'cd'.repeat(32) }),
        400,
        `for another pool: the key of this one is ${POOL}`,
      ],
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
      [
        account,
        of({ ...wish, beneficiaries: 'alice=5%' }),
        400,
        'beneficiary alice: only accounts named by their key',
      ],
      [account, of({ ...wish, beneficiaries: `${account}=5%` }), 400, 'it is the account itself'],
      [
        account,
        of({ ...wish, beneficiaries: `${other.account}=5%,${other.account}=6%` }),
        400,
        'it is named twice',
      ],
      [
        account,
        of({ ...wish, beneficiaries: `${other.account}=100.01%` }),
        400,
        'come to 100.01%: at most all',
      ],
      [account, of({ ...wish, beneficiaries: `${other.account}=0%` }), 400, 'a part is above 0%'],
      [account, of({ ...wish, beneficiaries: `${other.account}` }), 400, 'is no beneficiary such as'],
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
    const made = await runHere('keygen', ['wish', file, '--pool', POOL]);
    expect([made.code, made.text]).toEqual([1, '']);
    expect(made.stderr).toContain('holds no keys as `stratum-bridge keygen --out FILE` writes them');
    expect(made.stderr).not.toContain('not one');
    expect((await runHere('keygen', ['wish', join(folder.path, 'none'), '--pool', POOL])).code).toBe(1);
    for (const flags of [
      ['--minimum', '0'],
      ['--chain', '-1'],
      ['--chain', 'x'],
      ['--beneficiaries', 'alice=5%'],
      ['--pool', 'https://pool.example'],
    ])
      expect((await runHere('keygen', ['wish', file, '--pool', POOL, ...flags])).code).toBe(2);
  });
});
