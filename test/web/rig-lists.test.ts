/** Lists of rigs over HTTP: every query, tables, and one rig with its sessions. */
import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { targetOf } from '../../src/core/work/target.js';
import { prefersCsv } from '../../src/web/api/accept.js';
import type { Document } from '../../src/web/api/document/document.js';
import { createMetrics } from '../../src/web/metrics/metrics.js';
import { startWebServer } from '../../src/web/server.js';
import type { WireRig } from '../helpers/rigs/wire-rig.js';
import { mine, startTestBridge, type TestBridge } from '../helpers/stories/stratum-bridge.js';
import { documentOfRoutes } from '../helpers/tools/api-document.js';
import { DocumentCheck } from '../helpers/web/document-check.js';
import { idleBridge } from '../helpers/web/idle-bridge.js';
import { bearer, READ, RULES } from '../helpers/web/operators.js';

interface Shown {
  account: string;
  rig: string;
  state: string;
}

async function browse({ server: { watch } }: TestBridge) {
  const { events, sources } = idleBridge();
  const shown = { ...sources, rigs: watch };
  const metrics = createMetrics(events, shown);
  const web = await startWebServer({
    host: '127.0.0.1',
    port: 0,
    sources: shown,
    metrics,
    log: SILENT,
    access: () => RULES,
  });
  const check = new DocumentCheck((await documentOfRoutes()) as Document);
  const ask = async (path: string, accept?: string) => {
    const answer = await request(`${web.url}${path}`, {
      headers: { ...bearer(READ), ...(accept === undefined ? {} : { accept }) },
    });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  };
  return {
    ask,
    /** Checked against the document. */
    async get(path: string, of: string): Promise<{ status: number; body: Record<string, unknown> }> {
      const { status, text } = await ask(path);
      const body = JSON.parse(text) as Record<string, unknown>;
      check.answer('GET', of, status, body);
      return { status, body };
    },
    [Symbol.asyncDispose]: () => web.close(),
  };
}

async function mineAs(bridge: TestBridge, login: string, good: number, agent = 'asic/1'): Promise<WireRig> {
  const rig = await bridge.connect('tcp');
  const { result } = await rig.request(1, 'mining.subscribe', [agent]);
  expect((await rig.request(2, 'mining.authorize', [login, 'x'])).result).toBe(true);
  const nonce1 = Number.parseInt(String((result as unknown[])[1]), 16) as never;
  const job = bridge.book.liveJobs[0] ?? expect.fail('no job');
  for (let i = 0, from = 0; i < good; i++) {
    const nonce2 = mine(job, nonce1, targetOf(4n), true, from);
    from = Number.parseInt(nonce2, 16) + 1;
    expect((await rig.request(`${i}`, 'mining.submit', [login, job.id, nonce2])).result).toBe(true);
  }
  bridge.skewMs += 1000;
  return rig;
}

async function startMined(...logins: readonly (readonly [login: string, shares: number, agent?: string])[]) {
  // Rates are compared: no second counts but those that pass here.
  const bridge = await startTestBridge({ standsStill: true });
  bridge.offer({ difficulty: 1n << 100n });
  for (const [login, shares, agent] of logins) await mineAs(bridge, login, shares, agent);
  return bridge;
}

const LIST = '/api/v1/rigs';

describe('the list of rigs over HTTP', () => {
  it.each([
    ['', ['a.one', 'a', 'b.two']],
    ['?sort=name', ['a', 'a.one', 'b.two']],
    ['?sort=name&order=desc&limit=2', ['b.two', 'a.one']],
    ['?sort=accepted&order=asc&offset=1', ['a', 'a.one']],
    ['?account=a&sort=name', ['a', 'a.one']],
    ['?q=TWO', ['b.two']],
    ['?state=online&q=a', ['a.one', 'a']],
    ['?state=banned', []],
  ])('%s', async (query, logins) => {
    await using bridge = await startMined(['a.one', 20], ['b.two', 1], ['a', 3]);
    await using web = await browse(bridge);
    const { status, body } = await web.get(`${LIST}${query}`, LIST);
    expect(status).toBe(200);
    const shown = (body['rigs'] as Shown[]).map(({ account, rig }) =>
      rig === '' ? account : `${account}.${rig}`,
    );
    expect(shown).toEqual(logins);
  });

  it.each([
    ['state=asleep', 'state is one of online, idle, offline, banned, not "asleep"'],
    [
      'sort=colour',
      'sort is one of hashRate, rate1h, rate24h, name, account, state, agent, difficulty, accepted, rejected, bestShare, lastShare, sessions, connected, not "colour"',
    ],
    ['order=up', 'order is asc or desc, not "up"'],
    ['q=a&q=b', 'q is one text, not ["a","b"]'],
    ['account=a&account=b', 'account is one name, not ["a","b"]'],
    [`q=${'x'.repeat(201)}`, `q is at most 200 characters, not "${'x'.repeat(39)}`],
    ['page=2', 'there is no parameter "page", only state, account, q, sort, order, offset and limit'],
  ])('says what is wrong with %s', async (query, error) => {
    await using bridge = await startMined();
    await using web = await browse(bridge);
    expect(await web.get(`${LIST}?${query}`, LIST)).toEqual({ status: 400, body: { error } });
  });

  it.each([
    ['', ['abc', 'b', 'cab'], 3],
    ['?q=AB', ['abc', 'cab'], 2],
    ['?q=ab&offset=1', ['cab'], 2],
    ['?q=.*', [], 0],
  ])('has its accounts by name: %s', async (query, names, total) => {
    await using bridge = await startMined(['abc.one', 20], ['b.two', 5], ['cab.x', 1]);
    await using web = await browse(bridge);
    const { body } = await web.get(`/api/v1/accounts${query}`, '/api/v1/accounts');
    const shown = (body['accounts'] as Shown[]).map(({ account }) => account);
    expect([shown, body['total']]).toEqual([names, total]);
  });

  it('is a table for who prefers one, in which no name is a formula or breaks a line', async () => {
    await using bridge = await startMined(['=1-2.a,"b"', 20, '+cmd'], ['plain.rig', 1]);
    await using web = await browse(bridge);
    const { status, headers, text } = await web.ask(`${LIST}?limit=1`, 'text/csv');
    expect([status, headers['content-type'], headers['vary'], headers['x-total-count']]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'accept',
      '2',
    ]);
    const [head = '', line = '', ...rest] = text.split('\r\n');
    expect(rest).toEqual(['']);
    expect(head).toBe(
      'login,label,state,rate,dayRate,difficulty,orderedDifficulty,accepted,rejected,bestShare,lastShareAt,sessions,connectedSince,agent',
    );
    expect(line).toMatch(/^" =1-2\.a,""b""",,online,\d+,\d+,4,,20,,\d+,20\d\d-.*Z,1,20\d\d-.*Z," \+cmd"$/);
  });

  it('is JSON for all others', () => {
    const asked: [string | undefined, boolean][] = [
      [undefined, false],
      ['*/*', false],
      ['text/csv', true],
      ['text/*', true],
      ['text/csv, */*;q=0.1', true],
      ['text/csv;q=0.5, application/json', false],
      ['application/json;q=0.5, text/csv;q=0.9', true],
      ['text/csv;q=0', false],
      ['text/csv;q=much', false],
      ['text/html, application/xhtml+xml, */*;q=0.8', false],
    ];
    for (const [accept, is] of asked) expect(prefersCsv(accept), accept).toBe(is);
  });
});

describe('one rig over HTTP', () => {
  const ONE = '/api/v1/rigs/{account}/{rig}';
  const NAMELESS = '/api/v1/rigs/{account}';

  it.each([
    ['a.r', '/a/r'],
    ['k:ab/cd.../ü %2F?#', `/${encodeURIComponent('k:ab/cd')}/${encodeURIComponent('../ü %2F?#')}`],
    [`${'x'.repeat(128)}.r`, `/${'x'.repeat(128)}/r`],
  ])('%s is found with its sessions', async (login, path) => {
    await using bridge = await startMined([login, 2], [login, 1], ['other.r', 1]);
    await using web = await browse(bridge);
    const { status, body } = await web.get(`${LIST}${path}`, ONE);
    expect([status, body]).toMatchObject([
      200,
      { rig: { accepted: 3, sessions: 2, state: 'online' }, sessions: [{}, {}] },
    ]);
  });

  it('without a name is asked for by its account alone', async () => {
    await using bridge = await startMined(['a', 2], ['a.r', 1]);
    await using web = await browse(bridge);
    expect((await web.get(`${LIST}/a`, NAMELESS)).body).toMatchObject({
      rig: { account: 'a', rig: '', accepted: 2 },
    });
  });

  it('that is not there is told with a sentence', async () => {
    await using bridge = await startMined(['a.r', 1]);
    await using web = await browse(bridge);
    const why = 'it is not connected, and had no share accepted since the bridge started';
    expect(await web.get(`${LIST}/a/s`, ONE)).toEqual({
      status: 404,
      body: { error: `the account a has no rig s: ${why}. Its others are at /api/v1/rigs?account=a` },
    });
    expect(await web.get(`${LIST}/a`, NAMELESS)).toEqual({
      status: 404,
      body: {
        error: `the account a has no rig without a name: ${why}. Its others are at /api/v1/rigs?account=a`,
      },
    });
  });
});

describe('readiness', () => {
  it('ends with a drain, so that a balancer sends rigs elsewhere', async () => {
    await using bridge = await startMined(['a.r', 1]);
    const { events, sources } = idleBridge();
    const node = {
      url: 'http://n',
      state: 'healthy',
      network: '',
      reason: '',
      isActive: true,
      chains: 1,
      requests: 1,
    } as const;
    const shown = {
      ...sources,
      rigs: bridge.server.watch,
      nodes: () => [node],
      liveJobs: () => bridge.book.liveJobs,
    };
    const metrics = createMetrics(events, shown);
    const web = await startWebServer({
      host: '127.0.0.1',
      port: 0,
      sources: shown,
      metrics,
      log: SILENT,
      access: () => RULES,
    });
    onTestFinished(() => web.close());
    const ready = async () => {
      const { statusCode, body } = await request(`${web.url}/readyz`, { headers: bearer(READ) });
      return [statusCode, await body.json()];
    };
    expect(await ready()).toEqual([200, { status: 'ready' }]);
    await bridge.server.operator.drain({ over: 3_600_000, stop: false }, 'me');
    expect(await ready()).toEqual([
      503,
      { status: 'waiting', missing: 'the bridge drains: nobody is let in' },
    ]);
    await bridge.server.operator.cancelDrain({}, 'me');
    expect(await ready()).toEqual([200, { status: 'ready' }]);
  });
});
