/** Who owns an account, and what keeps others from having its webhooks. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { HookAsked } from '../../../src/bridge/alerts/alerts.js';
import { generateMinerKeys } from '../../../src/commands/keygen/keys.js';
import { alertBook } from '../../../src/ledger/alerts/alert-book.js';
import { minerHooks } from '../../../src/web/alerts/miner-hooks.js';
import { openedUrl } from '../../../src/web/alerts/miner-keys.js';
import type { PasswordCheck } from '../../../src/web/alerts/owner-proof.js';
import type { AlertRules } from '../../../src/web/alerts/rules.js';
import { RULES } from '../../helpers/alerts/alert-looks.js';
import { useBooks } from '../../helpers/books/books.js';
import { signAsOwner } from '../../helpers/payouts/owner-signature.js';

const books = useBooks();
const KEYS = generateMinerKeys();
const URL_OF_MINER = 'https://miner.example/hook';
const KEY = 'an operator key of 16 or more';

function desk(more: Partial<AlertRules> = {}, checkPassword: PasswordCheck = () => undefined) {
  const rules = { ...RULES, minersKey: KEY, ...more };
  return minerHooks({ book: alertBook(books.pool), rules: () => rules, checkPassword, nowMs: Date.now });
}

function signed(
  more: Partial<HookAsked> = {},
  order: 'add' | 'remove' = 'add',
  time = new Date().toISOString(),
): HookAsked {
  const asked = { account: KEYS.account, url: URL_OF_MINER, ...more };
  return {
    ...asked,
    time,
    signature: signAsOwner(KEYS.secretKey, order, KEYS.account, URL_OF_MINER, time),
    ...more,
  };
}

describe("a miner's webhook", () => {
  it('is for whoever signs with the key of the account, with one secret on every bridge', async () => {
    const first = await desk().add(signed());
    expect(first).toEqual({ state: 'added', secret: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await desk().add(signed())).toEqual(first);
    const other = await desk({ minersKey: 'another key of the operator' }).add(signed());
    expect(other).not.toEqual(first);
    expect(await desk().add(signed())).toEqual(first);
    const { rows } = await books.pool.query('SELECT * FROM alert_subscription');
    expect(rows.length).toBe(1);
    for (const secret of [(first as { secret: string }).secret, 'miner.example', '/hook'])
      expect(JSON.stringify(rows)).not.toContain(secret);
    expect(openedUrl(KEY, KEYS.account, rows[0].url)).toBe(URL_OF_MINER);
    expect(openedUrl(KEY, 'another account', rows[0].url)).toBeUndefined();
    expect(openedUrl('another key of the operator', KEYS.account, rows[0].url)).toBeUndefined();
    expect(await desk().remove(signed({}, 'remove'))).toEqual({ state: 'removed' });
    expect(await desk().remove(signed({}, 'remove'))).toMatchObject({ status: 404 });
  });

  it('is for whoever knows the password, where accounts have some', async () => {
    const check: PasswordCheck = (account, password) => account === 'alice' && password === 'right';
    const asked = { account: 'alice', url: URL_OF_MINER };
    expect(await desk({}, check).add({ ...asked, password: 'right' })).toMatchObject({ state: 'added' });
    expect(await desk({}, check).add({ ...asked, password: 'wrong' })).toMatchObject({ status: 401 });
    expect(await desk().add({ ...asked, password: 'right' })).toMatchObject({ status: 401 });
    await desk({}, check).remove({ ...asked, password: 'right' });
  });

  it.each<[string, () => HookAsked, Partial<AlertRules>, number]>([
    ['nothing that proves anything', () => ({ account: KEYS.account, url: URL_OF_MINER }), {}, 401],
    ['a signature for another URL', () => signed({ url: 'https://other.example/' }), {}, 401],
    ['a signature for the other order', () => signed({}, 'remove'), {}, 401],
    [
      'a signature of yesterday',
      () => signed({}, 'add', new Date(Date.now() - 86_400_000).toISOString()),
      {},
      401,
    ],
    ['a time that is none', () => signed({ time: 'now' }), {}, 401],
    ['a signature of another key', () => signed({ account: generateMinerKeys().account }), {}, 401],
    ['an account without a key', () => signed({ account: 'alice' }), {}, 401],
    ['plain HTTP', () => signed({ url: 'http://miner.example/' }), {}, 400],
    ['an address of the house', () => signed({ url: 'https://192.168.1.1/' }), {}, 400],
    ['an address of the house as a number', () => signed({ url: 'https://0x7f000001/' }), {}, 400],
    ['a port of another service', () => signed({ url: 'https://miner.example:25/' }), {}, 400],
    ['a line break in the URL', () => signed({ url: 'https://miner.example/\nhook' }), {}, 400],
    ['a zero byte in the URL', () => signed({ url: 'https://miner.example/\0' }), {}, 400],
    ['a login in the URL', () => signed({ url: 'https://a:b@miner.example/' }), {}, 400],
    ['no leave of the operator', () => signed(), { minersKey: '' }, 403],
  ])('is refused for %s', async (_, asked, rules, status) => {
    expect(await desk(rules).add(asked())).toMatchObject({ state: 'refused', status });
    expect((await books.pool.query('SELECT FROM alert_subscription')).rows).toEqual([]);
  });

  it('is one of three, and is not guessed at', async () => {
    const check: PasswordCheck = (_, password) => password === 'right';
    const hooks = desk({}, check);
    const account = `alice-${randomUUID()}`;
    const ask = (n: number, password = 'right') =>
      hooks.add({ account, url: `${URL_OF_MINER}/${n}`, password });
    for (const n of [1, 2, 3]) expect(await ask(n)).toMatchObject({ state: 'added' });
    expect(await ask(4)).toMatchObject({ status: 409 });
    for (let n = 0; n < 6; n++) expect(await ask(1, 'wrong')).toMatchObject({ status: 401 });
    expect(await ask(1)).toMatchObject({ status: 429 });
    expect(await hooks.add({ account: 'bob', url: URL_OF_MINER, password: 'right' })).toMatchObject({
      state: 'added',
    });
  });

  it('is not kept from its owner by wrong signatures of others', async () => {
    const hooks = desk();
    const wrong = { ...signed(), signature: '00'.repeat(64) };
    for (let n = 0; n < 20; n++) expect(await hooks.add(wrong)).toMatchObject({ status: 401 });
    expect(await hooks.add(signed())).toMatchObject({ state: 'added' });
    for (let n = 0; n < 9; n++) await hooks.add(signed());
    expect(await hooks.add(signed())).toMatchObject({ status: 429 });
    expect(await desk().remove(signed({}, 'remove'))).toEqual({ state: 'removed' });
  });
});
