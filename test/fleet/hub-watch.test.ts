/** Two real servers as fronts of one hub, with the web over it: one bridge for whoever watches and steers. */
import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAX_PROCESSES } from '../../src/bridge/fleet/watch.js';
import type { Nonce1 } from '../../src/core/jobs/nonce.js';
import { nonce1FromHex } from '../../src/core/jobs/nonce.js';
import { type Log, SILENT } from '../../src/core/names/log.js';
import { targetOf } from '../../src/core/work/target.js';
import { HubState } from '../../src/fleet/state/state.js';
import { FrontNews } from '../../src/fleet/watch/front-news.js';
import { HubWatch } from '../../src/fleet/watch/hub-watch.js';
import { createMetrics } from '../../src/web/metrics/metrics.js';
import { startWebServer } from '../../src/web/server.js';
import { cloned } from '../helpers/processes/cloned.js';
import type { WireRig } from '../helpers/rigs/wire-rig.js';
import {
  mine,
  startTestBridge,
  type TestBridge,
  type TestBridgeOptions,
} from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';
import { ADMIN, bearer, TOKENS } from '../helpers/web/guarded-web.js';
import { idleBridge } from '../helpers/web/idle-bridge.js';

const HARD = { difficulty: 1n << 100n };

interface Front {
  readonly bridge: TestBridge;
  readonly is: { silent: boolean };
  /** As once a second. */
  tell(): void;
}

/** With fronts 1 and 2; more may come. */
async function startFleet() {
  const { events, sources } = idleBridge();
  const fronts: Front[] = [];
  const told: string[] = [];
  const time = { skewMs: 0 };
  const state = new HubState({
    kept: { bans: [], difficulties: [], labels: [], addresses: [] },
    keeper: { keep: async () => undefined },
    bans: { banned: ({ login }) => void told.push(`banned ${login}`), unbanned: () => undefined },
    ...{ clock: { nowMs: () => Date.now() }, stayMs: 60_000, log: SILENT },
  });
  /** With what holds over all: so orders that are given to the hub reach fronts. */
  const shared = async (number: number, options: TestBridgeOptions): Promise<TestBridge> => {
    const fleet = { front: number, hub: cloned(state.deskOf(number)) };
    const bridge = await startTestBridge({ ...options, fleet });
    await state.join(number, cloned(bridge.server.front ?? expect.fail('it is no front')));
    return bridge;
  };
  const own = await shared(0, { events, listeners: [] });
  const log: Log = {
    ...SILENT,
    warn: (_, text) => void told.push(text),
    info: (_, text) => void told.push(text),
  };
  const clock = { nowMs: () => Date.now() + time.skewMs };
  const hub = new HubWatch({
    own: {
      ...{ watch: own.server.watch, steering: own.server.steering },
      frontWatch: cloned(own.server.frontWatch),
    },
    ...{ events, clock, log },
  });
  events.on('steered', (deed) => {
    const closed = deed.kind === 'addresses' ? `, ${deed.closed} closed` : '';
    told.push(`${deed.kind} by ${deed.by}${closed}`);
  });
  events.on('drain', ({ state, sessions, left }, by) =>
    told.push(`${state} by ${by}, ${left} of ${sessions} left`),
  );
  const join = async (): Promise<Front> => {
    const number = fronts.length + 1;
    let sessions = 0;
    const bridge = await shared(number, { nextSessionId: () => ++sessions * MAX_PROCESSES + number });
    bridge.offer(HARD);
    const news = new FrontNews(bridge.events, clock);
    const is = { silent: false };
    const { frontWatch, steering } = bridge.server;
    const desk = hub.deskOf(number);
    await hub.join(number, {
      frontWatch: cloned(frontWatch, is),
      steering: cloned(steering, is),
    });
    const front = { bridge, is, tell: () => desk.take(structuredClone(news.take(bridge.server.watch))) };
    fronts.push(front);
    return front;
  };
  await join();
  await join();
  const shown = { ...sources, rigs: hub.watch };
  const web = await startWebServer({
    ...{ host: '127.0.0.1', port: 0, sources: shown, metrics: createMetrics(events, shown), log: SILENT },
    ...{
      steering: hub.steering,
      access: () => ({ isPublic: false, hosts: [], origins: [], tokens: TOKENS }),
    },
  });
  /** A second later. */
  const pass = (): void => {
    time.skewMs += 1000;
    for (const front of fronts) front.tell();
    hub.tick();
  };
  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
    pass();
    const sent = body && { body: JSON.stringify(body) };
    const type = body && { 'content-type': 'application/json' };
    const answer = await request(`${web.url}${path}`, {
      method,
      headers: { ...type, ...bearer(ADMIN) },
      ...sent,
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, text, body: text.startsWith('{') ? JSON.parse(text) : {} };
  };
  onTestFinished(async () => {
    await web.close();
    for (const { bridge } of [...fronts, { bridge: own }]) await bridge[Symbol.asyncDispose]();
  });
  return { hub, fronts, told, ask, pass, join, time };
}

async function rigAt({ bridge }: Front, login: string, shares = 0): Promise<WireRig> {
  const rig = await bridge.connect('tcp');
  await rig.request('modern', 'mining.extranonce.subscribe', []);
  const { result } = await rig.request(1, 'mining.subscribe', ['stratum-bridge/1']);
  await rig.request(2, 'mining.authorize', [login, 'x']);
  const nonce1 = nonce1FromHex(String((result as unknown[])[1])) as Nonce1;
  const job = bridge.book.liveJobs[0] ?? expect.fail('no job');
  for (let i = 0, from = 0; i < shares; i++) {
    const nonce2 = mine(job, nonce1, targetOf(4n), true, from);
    from = Number.parseInt(nonce2, 16) + 1;
    expect((await rig.request(3 + i, 'mining.submit', [login, job.id, nonce2])).result).toBe(true);
  }
  return rig;
}

const valueIn = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((each) => each.startsWith(`stratum_bridge_${series} `));
  return line === undefined ? undefined : Number(line.split(' ')[1]);
};

describe('a hub with two fronts', () => {
  it('shows their rigs, accounts and sessions as one list each, and counts as one', async () => {
    const { fronts, ask } = await startFleet();
    const [one, two] = fronts as [Front, Front];
    await rigAt(one, 'a.r', 2);
    await rigAt(two, 'a.r', 3);
    await rigAt(one, 'b.s', 1);
    const bad = await rigAt(two, 'c.t');
    bad.send('{"id":9,"method":"mining.submit","params":["c.t","ffffffff","1"]}');
    await bad.until(({ id }) => id === 9);
    const { body: rigs } = await ask('GET', '/api/v1/rigs?sort=accepted&limit=2');
    expect(rigs).toMatchObject({
      total: 3,
      rigs: [
        { account: 'a', rig: 'r', sessions: 2, accepted: 5, state: 'online' },
        { account: 'b', rig: 's', sessions: 1, accepted: 1 },
      ],
    });
    const { body: detail } = await ask('GET', '/api/v1/rigs/a/r');
    expect(detail).toMatchObject({ rig: { accepted: 5 }, sessions: [{ accepted: 3 }, { accepted: 2 }] });
    const { body: sessions } = await ask('GET', '/api/v1/sessions');
    expect(new Set(sessions.sessions.map(({ id }: { id: number }) => id % MAX_PROCESSES))).toEqual(
      new Set([1, 2]),
    );
    expect(sessions.total).toBe(4);
    expect((await ask('GET', '/api/v1/summary')).body).toMatchObject({
      sessions: 4,
      submits: { accepted: 6, unknownJob: 1 },
    });
    const { text } = await ask('GET', '/metrics');
    expect(
      ['sessions', 'submits_total{outcome="accepted"}', 'accepted_work_hashes_total'].map((name) =>
        valueIn(text, name),
      ),
    ).toEqual([4, 6, 24]);
    expect(valueIn(text, 'submit_answer_seconds_count')).toBe(7);
    expect(valueIn(text, 'sessions_opened_total{transport="tcp"}')).toBe(4);
    expect(valueIn(text, 'nonce1_leased')).toBe(4);
  });

  it('goes on without one that does not answer, says so once, and has it again later', async () => {
    const { fronts, ask, told, time } = await startFleet();
    const [one, two] = fronts as [Front, Front];
    await rigAt(one, 'a.r', 1);
    await rigAt(two, 'b.s', 1);
    two.is.silent = true;
    for (let i = 0; i < 2; i++) {
      time.skewMs += 10_000;
      const { body } = await ask('GET', '/api/v1/rigs');
      expect(body).toMatchObject({ total: 1, rigs: [{ account: 'a' }], leftOut: [2] });
      for (const list of ['sessions', 'accounts'])
        expect((await ask('GET', `/api/v1/${list}`)).body).toMatchObject({ total: 1, leftOut: [2] });
    }
    expect((await ask('GET', '/api/v1/rigs/a/r')).body).toMatchObject({
      rig: { account: 'a' },
      leftOut: [2],
    });
    expect((await ask('GET', '/api/v1/rigs/b/s')).body).toMatchObject({
      error: expect.stringContaining('front 2 does not answer, and may have it'),
    });
    expect(told).toEqual(['a front does not answer: lists go on without its rigs']);
    two.is.silent = false;
    time.skewMs += 10_000;
    expect((await ask('GET', '/api/v1/rigs')).body).toMatchObject({ total: 2, leftOut: [] });
    expect(told.at(-1)).toBe('a front answers again');
  });

  it('closes the session that is meant, tells all rigs, bans at all, and each is told of once', async () => {
    const { fronts, ask, pass, told } = await startFleet();
    const [one, two] = fronts as [Front, Front];
    const rigs = [await rigAt(one, 'a.r'), await rigAt(two, 'a.s'), await rigAt(two, 'b.s')];
    const { body } = await ask('POST', '/api/v1/messages', { to: 'all', text: 'we move' });
    expect(body).toEqual({ told: 3, sessions: 3 });
    const { sessions } = (await ask('GET', '/api/v1/sessions')).body;
    const meant = sessions.find(
      ({ logins }: { logins: { account: string }[] }) => logins[0]?.account === 'b',
    );
    const order = { openedAt: meant.openedAt, reason: 'new cable' };
    expect((await ask('POST', `/api/v1/sessions/${meant.id}/close`, order)).status).toBe(200);
    await rigs[2]?.untilClosed();
    expect((await ask('POST', `/api/v1/sessions/${meant.id}/close`, order)).status).toBe(404);
    expect((await ask('POST', `/api/v1/sessions/3/close`, order)).status).toBe(404);
    const ban = { kind: 'account', account: 'a', reason: 'dust' };
    expect((await ask('POST', '/api/v1/bans', ban)).body).toMatchObject({
      closed: 2,
      ban: { reason: 'dust' },
    });
    await rigs[0]?.untilClosed();
    await rigs[1]?.untilClosed();
    expect((await ask('GET', '/api/v1/bans')).body).toMatchObject({ total: 1, bans: [{ login: 'a' }] });
    pass();
    expect(told).toEqual(['message by admin token', 'close by admin token', 'banned a']);
  });

  it('tells of a list of addresses with the sessions that it has ended at all fronts', async () => {
    const { fronts, ask, told } = await startFleet();
    const rigs = await Promise.all(
      (fronts as Front[]).map(({ bridge }) => rigAt({ bridge } as Front, 'a.r')),
    );
    expect((await ask('PUT', '/api/v1/addresses/deny/127.0.0.1')).body).toMatchObject({ closed: 2 });
    for (const rig of rigs) await rig.untilClosed();
    expect(told).toEqual(['addresses by admin token, 2 closed']);
  });

  it('drains all, one that begins meanwhile too, and says so once when all have gone', async () => {
    const { fronts, ask, pass, join, told } = await startFleet();
    const [one, two] = fronts as [Front, Front];
    const rigs = [await rigAt(one, 'a.r'), await rigAt(two, 'b.s')];
    expect((await ask('POST', '/api/v1/drain', { overMs: 3_600_000 })).body).toMatchObject({
      ...{ state: 'draining', sessions: 2, left: 2 },
    });
    expect((await ask('POST', '/api/v1/drain', { overMs: 5 })).status).toBe(409);
    const three = await join();
    const late = await three.bridge.connect('tcp').catch(() => undefined);
    await late?.untilClosed();
    rigs[0]?.close();
    await until('the first has gone', () => one.bridge.server.watch.drain().state === 'drained');
    expect((await ask('GET', '/api/v1/drain')).body).toMatchObject({ state: 'draining', left: 1 });
    rigs[1]?.close();
    await until('all have gone', () => two.bridge.server.watch.drain().state === 'drained');
    await until('the one that came too', () => three.bridge.server.watch.drain().state === 'drained');
    pass();
    expect((await ask('GET', '/api/v1/drain')).body).toMatchObject({ state: 'drained', left: 0 });
    expect((await ask('DELETE', '/api/v1/drain')).body).toMatchObject({ state: 'off' });
    expect((await ask('DELETE', '/api/v1/drain')).status).toBe(409);
    expect(told).toEqual([
      'draining by admin token, 2 of 2 left',
      'drained by admin token, 0 of 2 left',
      'off by admin token, 0 of 0 left',
    ]);
    await rigAt(three, 'a.r', 1);
    expect((await ask('GET', '/api/v1/rigs?state=online')).body.total).toBe(1);
  });
});
