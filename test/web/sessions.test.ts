/** Sessions of people at the page: how they begin, what they may do, and when they end. */
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionSigner } from '../../src/bridge/watch/session-signers.js';
import { may } from '../../src/operations/enums.js';
import { LINK_MS, Links } from '../../src/web/access/links.js';
import { SESSION_MS, Sessions } from '../../src/web/access/sessions.js';
import { temporaryFolder } from '../helpers/folder.js';
import { until } from '../helpers/until.js';
import { startGuarded } from '../helpers/web/guarded-web.js';
import { ADMIN, bearer, READ, RULES, TOKENS } from '../helpers/web/operators.js';

type Web = Awaited<ReturnType<typeof startGuarded>>;

async function signIn(web: Web, by: object, headers: Record<string, string> = {}) {
  const json = { 'content-type': 'application/json', ...headers };
  const answer = await web.ask('/api/v1/session', {
    method: 'POST',
    headers: json,
    body: JSON.stringify(by),
  });
  const [whole = ''] = [answer.headers['set-cookie'] ?? []].flat();
  return { ...answer, whole, cookie: whole.split(';')[0] ?? '' };
}

async function newLink(web: Web): Promise<string> {
  const { text } = await web.ask('/api/v1/links', { method: 'POST', headers: bearer(ADMIN) });
  return (JSON.parse(text) as { url: string }).url.split('#link=')[1] ?? '';
}

describe('a link', () => {
  it('WB1: signs in once, as the operator; no second time, and no other one', async () => {
    await using web = await startGuarded();
    const link = web.links.make(Date.now());
    const { status, whole, cookie, text } = await signIn(web, { link });
    expect([status, JSON.parse(text)]).toEqual([200, { standing: 'admin', until: expect.any(String) }]);
    expect(whole).toMatch(/^stratum-bridge-[\w-]{8}=admin\.link\.\d{10}\.[\w-]{86}; /);
    expect(whole).toMatch(/; Path=\/;.*; HttpOnly; SameSite=Strict$/);
    expect(whole).not.toContain(link);
    expect((await web.order({ cookie })).status).toBe(200);
    expect(web.said).toContainEqual(expect.objectContaining({ event: 'order', by: 'admin link' }));
    for (const wrong of [link, 'x'.repeat(43), '']) {
      const again = await signIn(web, { link: wrong });
      expect([again.status, again.whole]).toEqual([401, '']);
      expect(again.text).toContain('stratum-bridge web');
    }
    expect(JSON.stringify(web.said)).not.toContain(link);
  });

  it('that a token has asked for signs in as that token, for as long as it is one', async () => {
    await using web = await startGuarded();
    const { whole, cookie } = await signIn(web, { link: await newLink(web) });
    expect(whole).toMatch(/^stratum-bridge-[\w-]{8}=admin\.token-admin\./);
    expect((await web.order({ cookie })).status).toBe(200);
    expect(web.said).toContainEqual(expect.objectContaining({ event: 'order', by: 'admin token' }));
    const another = await newLink(web);
    web.state.rules = { ...RULES, tokens: [] };
    expect((await web.order({ cookie })).status).toBe(401);
    expect((await signIn(web, { link: another })).status).toBe(401);
  });

  it('or a token that is wrong is answered, also to who shows a key that no order takes', async () => {
    await using web = await startGuarded();
    web.state.rules = { ...RULES, isPublic: true };
    for (const by of [{ link: 'x' }, { token: 'x' }]) {
      const { status } = await signIn(web, by, { 'idempotency-key': 'a' });
      expect(status).toBe(401);
    }
    expect((await web.order(bearer(ADMIN))).status).toBe(200);
  });

  it('WB1: is made for nobody but the operator, and by web.url where that is set', async () => {
    await using web = await startGuarded();
    const make = (headers: Record<string, string>) => web.ask('/api/v1/links', { method: 'POST', headers });
    expect([(await make({})).status, (await make(bearer(READ))).status]).toEqual([401, 403]);
    expect(JSON.parse((await make(bearer(ADMIN))).text)).toMatchObject({
      url: expect.stringMatching(new RegExp(`^${web.url}/#link=[\\w-]{43}$`)),
      isForHere: true,
    });
    web.state.rules = { ...RULES, url: 'https://pool.example' };
    expect(JSON.parse((await make(bearer(ADMIN))).text)).toMatchObject({
      url: expect.stringMatching(/^https:\/\/pool\.example\/#link=/),
      isForHere: false,
    });
  });

  it('WB1: works for a bounded time, and only so many do, at whichever process', async () => {
    await using folder = await temporaryFolder();
    const [links, others] = [new Links(join(folder.path, 'links')), new Links(join(folder.path, 'links'))];
    const [late, early] = [links.make(0), links.make(0)];
    expect([links.use(late, LINK_MS), links.use(early, LINK_MS - 1)]).toEqual([undefined, '']);
    const made = Array.from({ length: 20 }, (_, i) => links.make(i));
    expect(made.filter((link) => others.use(link, 20) === '')).toEqual(made.slice(4));
  });
});

describe('a session', () => {
  it('WB1: of a token may do what the token may, and ends with it', async () => {
    await using web = await startGuarded();
    for (const { access: standing, secret: token } of TOKENS) {
      const { cookie, text, whole } = await signIn(web, { token });
      expect([JSON.parse(text).standing, whole.includes(token)]).toEqual([standing, false]);
      expect(await web.status('/api/v1/sessions', { headers: { cookie } })).toBe(200);
      expect((await web.order({ cookie })).status).toBe(may(standing, 'operate') ? 200 : 403);
      const another = { name: standing, access: standing, secret: 'another-token-of-this-test' };
      web.state.rules = { ...RULES, tokens: [another] };
      expect(await web.status('/api/v1/sessions', { headers: { cookie } })).toBe(401);
      web.state.rules = RULES;
    }
    const wrong = await signIn(web, { token: 'no-token-of-this-test' });
    expect([wrong.status, wrong.whole]).toEqual([401, '']);
  });

  it('WB1: is none of another key, of another standing, or past its time', () => {
    const [own, other] = [0, 1].map(() => new Sessions(generateKeyPairSync('ed25519').privateKey));
    if (!own || !other) return expect.fail();
    const nowMs = 1_790_000_000_000;
    const whole = own.cookieOf({ standing: 'read' }, TOKENS, nowMs + SESSION_MS, false);
    const [cookie = ''] = whole.split(';');
    const [name] = cookie.split('=');
    const [foreign = ''] = other.cookieOf({ standing: 'admin' }, TOKENS, nowMs + 1000, false).split(';');
    expect(own.sessionIn(`a=b; ${cookie}`, TOKENS, nowMs)).toEqual({ standing: 'read' });
    for (const [asked, atMs] of [
      [cookie, nowMs + SESSION_MS],
      [cookie.replace('=read', '=admin'), nowMs],
      [cookie.replace('.link.', '.token-read.'), nowMs],
      [cookie.replace(/\.179/, '.189'), nowMs],
      [`${name}=${foreign.split('=')[1]}`, nowMs],
      [`${name}=nonsense`, nowMs],
      [undefined, nowMs],
    ] as const)
      expect([asked, own.sessionIn(asked, TOKENS, atMs)]).toEqual([asked, undefined]);
    expect(own.cookieOf({ standing: 'read' }, TOKENS, nowMs, true)).toMatch(/; Secure/);
  });

  it('holds at other bridges of the ledger that know who signed it, as long as its token signs in there', async () => {
    const nowMs = 1_790_000_000_000;
    const clock = { now: 0 };
    const here = new Sessions(generateKeyPairSync('ed25519').privateKey);
    const tokens = [{ name: 'boss', access: 'admin', secret: 'a-token-of-the-first-machine' }] as const;
    const ledger: { signers: SessionSigner[] | undefined; asked: number } = { signers: undefined, asked: 0 };
    const there = new Sessions(generateKeyPairSync('ed25519').privateKey, {
      others: async () => {
        ledger.asked++;
        return ledger.signers ?? Promise.reject(new Error('away'));
      },
      nowMs: () => clock.now,
    });
    const look = async (cookie: string) => {
      await there.learn(cookie);
      clock.now += 10_000;
      return there.sessionIn(cookie, TOKENS, nowMs);
    };
    const [byLink = ''] = here.cookieOf({ standing: 'admin' }, tokens, nowMs + SESSION_MS, false).split(';');
    const byToken =
      here.cookieOf({ standing: 'admin', token: 'boss' }, tokens, nowMs + SESSION_MS, false).split(';')[0] ??
      '';
    expect(await look(byLink)).toBeUndefined();
    ledger.signers = [here.signer(tokens)];
    expect(JSON.stringify(ledger.signers)).not.toContain(tokens[0].secret);
    expect([await look(byLink), await look(byToken)]).toEqual([
      { standing: 'admin' },
      { standing: 'admin', token: 'boss' },
    ]);
    expect(there.endOf(byLink, false)).toHaveLength(2);
    expect(await look(byToken.replace('=admin', '=operate'))).toBeUndefined();
    // Who is known holds while the ledger is away.
    ledger.signers = undefined;
    expect(await look(byToken)).toEqual({ standing: 'admin', token: 'boss' });
    ledger.signers = [here.signer([])];
    const [ours = ''] = there.cookieOf({ standing: 'read' }, [], nowMs - 1, false).split(';');
    // Also beside a cookie of its own, which is past its time.
    expect([await look(`${byToken}; ${ours}`), await look(byLink)]).toEqual([
      undefined,
      { standing: 'admin' },
    ]);
    ledger.signers = [{ key: 'nonsense', tokens: [] }];
    expect(await look(byLink)).toEqual({ standing: 'admin' });
    // Cookies of nobody are no reason to ask again and again, nor are those of this bridge or of others' pages.
    const { asked } = ledger;
    for (let i = 0; i < 100; i++) await there.learn('stratum-bridge-xxxxxxxx=nonsense');
    expect(ledger.asked).toBe(asked + 1);
    clock.now += 10_000;
    const [own = ''] = there.cookieOf({ standing: 'read' }, TOKENS, nowMs + SESSION_MS, false).split(';');
    for (const cookie of [own, 'other=1', undefined]) await there.learn(cookie);
    expect(ledger.asked).toBe(asked + 1);
  });

  it('WB1: gives no orders and no answers to pages from elsewhere, also to named ones', async () => {
    await using web = await startGuarded();
    const { cookie } = await signIn(web, { token: ADMIN });
    const origin = 'http://127.0.0.1:1';
    for (const headers of [{ origin }, { 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await web.order({ cookie, ...headers })).status).toBe(403);
    web.state.rules = { ...RULES, origins: [origin] };
    expect((await web.order({ cookie, origin })).status).toBe(401);
    expect(await web.status('/api/v1/sessions', { headers: { cookie, origin } })).toBe(401);
    expect(web.state.reloads).toBe(0);
    // Nor does a page from elsewhere sign anybody in.
    web.state.rules = RULES;
    expect((await signIn(web, { token: ADMIN }, { origin })).status).toBe(403);
  });

  it('WB1: ends when somebody signs out, and the cookie is taken away', async () => {
    await using web = await startGuarded();
    const { headers } = await web.ask('/api/v1/session', { method: 'DELETE' });
    expect(headers['set-cookie']).toMatch(/^stratum-bridge-[\w-]{8}=; .*Expires=Thu, 01 Jan 1970/);
  });

  it('WB1: takes a read token that was made since, without a restart', async () => {
    const kept = { read: '' };
    const made = 'a-token-that-was-made-since';
    const state = { rules: RULES };
    await using web = await startGuarded({
      access: () => state.rules,
      readTokens: async () => {
        state.rules = { ...RULES, tokens: [{ name: 'read', access: 'read', secret: kept.read }] };
      },
    });
    expect(await web.status('/metrics', { headers: bearer(made) })).toBe(401);
    kept.read = made;
    await until('it is taken', async () => (await web.status('/metrics', { headers: bearer(made) })) === 200);
  });
});
