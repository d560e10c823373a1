import { connect } from 'node:net';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { createBridgeEvents, type NodeReport } from '../../src/bridge/events.js';
import { ALONE } from '../../src/bridge/watch/other-bridges.js';
import type { RigWatch } from '../../src/bridge/watch/rig-watch.js';
import { JobBook } from '../../src/core/jobs/job.js';
import { SILENT } from '../../src/core/names/log.js';
import { REJECTIONS } from '../../src/core/shares/rejections.js';
import type { Solution } from '../../src/core/shares/share.js';
import type { Following } from '../../src/operations/books/chains.js';
import { createMetrics } from '../../src/web/metrics/metrics.js';
import { startWebServer, type WebLimits } from '../../src/web/server.js';
import { Freshness } from '../../src/web/state/freshness.js';
import { LastKnown } from '../../src/web/state/last-known.js';
import { RateWindow } from '../../src/web/state/rate-window.js';
import type { LedgerTotals, QueueStats, SummarySources } from '../../src/web/state/summary.js';
import { Tally } from '../../src/web/state/tally.js';
import { NO_RIGS } from '../helpers/rigs/no-rigs.js';
import { makeWork } from '../helpers/rigs/works.js';
import { until } from '../helpers/until.js';
import { NO_ALERTS, NO_BOOKS, NO_SIGNS, NO_TIMELINE } from '../helpers/web/idle-bridge.js';
import { ADMIN, bearer, fetchAsReader, RULES } from '../helpers/web/operators.js';

const RIG = { id: 1, transport: 'ws', peer: '127.0.0.1:9' } as const;

const QUEUE = {
  backend: 'postgres',
  waiting: 3,
  failed: 1,
  heldBack: 4,
  unkeptSolutions: 0,
  oldestMs: 2500,
} as const;
const LEDGER = { shares: 5, work: '123456789012345678901234567890' };
const FOLLOWING: Following = {
  ...{ chains: 20, behind: 7, still: 1 },
  standing: [{ chainId: 3, trouble: 'no node has this chain now' }],
};
const NO_SUBMITS = Object.fromEntries(['accepted', ...REJECTIONS].map((outcome) => [outcome, 0]));
const COUNTS = { leased: 6, resumable: 5, bans: 4, waiting: 3, refused: 2 };
const RIGS: RigWatch = { ...NO_RIGS, counts: () => ({ ...COUNTS, sessions: 1 }) };
/** What a node has not told. */
const UNTOLD = { cutHeight: null, silentMs: null, forks: null };
const IDLE = { isActive: false, chains: 0, requests: 0 };

async function startTestWeb(limits: Partial<WebLimits> = {}) {
  const parts = {
    queue: async (): Promise<QueueStats> => ({ ...QUEUE, isUp: true }),
    ledger: async (): Promise<LedgerTotals> => LEDGER,
    following: async () => FOLLOWING,
  };
  const events = createBridgeEvents();
  const clock = { nowMs: () => now };
  let now = 1_000_000;
  const tally = new Tally(events, clock);
  const book = new JobBook(1);
  const nodes: NodeReport[] = [
    { ...IDLE, url: 'http://node:1848', state: 'away', network: '', reason: 'ECONNREFUSED' },
  ];
  const sources: SummarySources = {
    version: '9.9.9',
    startedAtMs: 0,
    instance: () => 0,
    self: () => null,
    place: 'here:data',
    bridges: ALONE,
    tally,
    freshness: new Freshness(events, clock),
    nodes: () => nodes,
    whyReleased: () => undefined,
    liveJobs: () => book.liveJobs,
    rigs: RIGS,
    listeners: () => ({ areOpen: true, ports: [] }),
    books: NO_BOOKS,
    webUrl: () => undefined,
    pendingSolutions: () => 2,
    queue: new LastKnown(() => parts.queue()),
    ledger: new LastKnown(() => parts.ledger()),
    following: new LastKnown(() => parts.following()),
    differingRules: () => [],
    title: () => 'Test pool',
    development: 'auto',
    terms: () => undefined,
    timeline: NO_TIMELINE,
    alerts: NO_ALERTS,
    signs: NO_SIGNS,
  };
  const address = { host: '127.0.0.1', port: 0 };
  const web = await startWebServer({
    ...address,
    sources,
    metrics: createMetrics(events, sources),
    makeBlocks: async () => ({ status: 200, body: {} }),
    log: SILENT,
    access: () => RULES,
    limits,
  });
  const get = async (path: string) => {
    const response = await fetchAsReader(web.url + path);
    return { status: response.status, text: await response.text() };
  };
  const passTime = (ms: number): void => {
    now += ms;
  };
  return {
    events,
    parts,
    book,
    nodes,
    get,
    url: web.url,
    passTime,
    [Symbol.asyncDispose]: () => web.close(),
  };
}

describe('web', () => {
  it('C7: is healthy at once, ready when jobs flow, and says what is missing until then', async () => {
    await using web = await startTestWeb();
    expect((await web.get('/healthz')).status).toBe(200);
    expect(await web.get('/readyz')).toMatchObject({
      status: 503,
      text: expect.stringContaining('node away: ECONNREFUSED'),
    });
    web.nodes[0] = { ...IDLE, url: 'http://node:1848', state: 'healthy', network: 'development', reason: '' };
    expect(await web.get('/readyz')).toMatchObject({
      status: 503,
      text: expect.stringContaining('no job yet'),
    });
    web.book.add(makeWork({}), 'n');
    expect((await web.get('/readyz')).status).toBe(200);
    web.nodes.length = 0;
    expect(await web.get('/readyz')).toMatchObject({
      status: 503,
      text: expect.stringContaining('no node is set'),
    });
    expect((await web.get('/nothing')).status).toBe(404);
  });

  it('sums up what the events told', async () => {
    await using web = await startTestWeb();
    const job = web.book.add(makeWork({ chainId: 4, height: 77, difficulty: 1n << 70n }), 'n');
    web.events.emit('job', job);
    web.events.emit('jobSent', job, 12.5);
    web.events.emit('sessionOpened', RIG);
    web.events.emit('sessionOpened', { id: 2, transport: 'cpu', peer: 'thread 0' });
    const submit = { session: RIG, account: 'a', rig: 'r', jobId: job.id, detail: '' };
    for (let i = 0; i < 60; i++) {
      web.events.emit('submit', { ...submit, outcome: 'accepted', difficulty: 1_000_000n });
      web.passTime(1000);
    }
    const spent = { chainId: 4, difficulty: 1_000n };
    web.events.emit('submit', { ...submit, outcome: 'accepted', difficulty: 0n, spent });
    web.events.emit('submit', { ...submit, outcome: 'stale', spent });
    const summary = JSON.parse((await web.get('/api/v1/summary')).text);
    expect(summary).toEqual({
      version: '9.9.9',
      startedAt: '1970-01-01T00:00:00.000Z',
      instance: 0,
      bridges: [
        {
          ...{ instance: 0, place: 'here:data', ageMs: 0, sessions: 1 },
          hashesPerSecond: expect.closeTo(1_000_000, -5),
        },
      ],
      nodes: [
        {
          ...{ ...IDLE, url: 'http://node:1848', bridge: null, state: 'away', network: '' },
          ...{ reason: 'ECONNREFUSED', ...UNTOLD },
        },
      ],
      works: [{ chainId: 4, height: 77, blockDifficulty: String(1n << 70n), ageMs: 60_000 }],
      whyReleased: null,
      freshness: { delayMs: { p50: 12.5, p99: 12.5, max: 12.5 }, jobs: 1, staleHashes: 0.5 },
      sessions: 1,
      ports: [],
      rigs: COUNTS,
      hashesPerSecond: expect.closeTo(1_000_000, -5),
      hashRates: [1, 5, 15, 60, 1440].map((minutes) => ({
        minutes,
        hashesPerSecond: 1_000_000,
        // 1,000,000 / sqrt(60), about: a window ends with a slot.
        standardError: expect.closeTo(132_000, -4),
      })),
      submits: { ...NO_SUBMITS, accepted: 61, stale: 1 },
      solutions: { found: 0, accepted: 0, perhaps: 0, rejected: 0, lost: 0, superseded: 0, pending: 2 },
      queue: { ...QUEUE, isUp: true },
      ledger: { ...LEDGER, isUp: true, differingRules: [] },
      following: FOLLOWING,
      alerts: 0,
      web: null,
    });
    web.events.emit('sessionClosed', RIG, 'gone');
    const { text } = await web.get('/metrics');
    expect(text).toContain('stratum_bridge_submits_total{outcome="accepted"} 61');
    expect(text).toContain('stratum_bridge_sessions 0');
  });

  it('C1: answers with the last known totals while ledger and queue are away or silent', async () => {
    await using web = await startTestWeb();
    const summary = async () => JSON.parse((await web.get('/api/v1/summary')).text);
    web.parts.ledger = () => Promise.reject(new Error('ECONNREFUSED'));
    // Nothing was heard of it yet.
    expect((await summary()).ledger).toEqual({ isUp: false, differingRules: [] });
    expect((await web.get('/metrics')).text).toContain('stratum_bridge_ledger_shares Nan');
    web.parts.ledger = async () => LEDGER;
    expect((await summary()).ledger).toEqual({ ...LEDGER, isUp: true, differingRules: [] });
    expect((await web.get('/metrics')).text).toContain('stratum_bridge_ledger_up 1');
    const silent = () => new Promise<never>(() => {});
    for (const away of [() => Promise.reject(new Error('ECONNREFUSED')), silent]) {
      web.parts.ledger = away;
      web.parts.queue = async () => ({ ...QUEUE, isUp: false });
      const { ledger, queue, submits } = await summary();
      expect(ledger).toEqual({ ...LEDGER, isUp: false, differingRules: [] });
      expect(queue).toEqual({ ...QUEUE, isUp: false });
      expect(submits).toEqual(NO_SUBMITS);
      const { status, text } = await web.get('/metrics');
      expect(status).toBe(200);
      for (const line of [
        'ledger_up 0',
        'ledger_shares 5',
        'queue_up 0',
        'queue_failed 1',
        'queue_held_back 4',
        'shares_unshipped_age_seconds 2.5',
      ])
        expect(text).toContain(`stratum_bridge_${line}\n`);
    }
  });

  it('C6: shows every outcome of submits and solutions', async () => {
    await using web = await startTestWeb();
    const submit = { session: RIG, account: 'a', rig: 'r', jobId: '1', detail: '' };
    web.events.emit('submit', { ...submit, outcome: 'tryAgain' });
    web.events.emit('submit', { ...submit, outcome: 'notSubscribed' });
    const solution = {} as Solution;
    for (const state of ['received', 'refused', 'perhaps', 'lost'] as const)
      web.events.emit('solutionSettled', solution, state, '');
    web.events.emit('solutionSuperseded', solution);
    const { submits, solutions } = JSON.parse((await web.get('/api/v1/summary')).text);
    expect(submits).toEqual({ ...NO_SUBMITS, tryAgain: 1, notSubscribed: 1 });
    expect(solutions).toMatchObject({ accepted: 2, perhaps: 1, rejected: 2, lost: 1, superseded: 1 });
  });

  it('C16: counters are counters, there from the start, and no series ends by a change of state', async () => {
    await using web = await startTestWeb();
    const scrape = async () => (await web.get('/metrics')).text;
    const types = (text: string) =>
      new Map(
        [...text.matchAll(/^# TYPE stratum_bridge_(\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]),
      );
    /** Names with labels, without what belongs to the process. */
    const series = (text: string) =>
      [...text.matchAll(/^(stratum_bridge_\S+) /gm)].map(([, name]) => name ?? '').sort();
    const before = await scrape();
    for (const [name, type] of types(before))
      expect([name, type === 'counter']).toEqual([name, /_total$/.test(name ?? '')]);
    for (const outcome of Object.keys(NO_SUBMITS))
      expect(before).toContain(`stratum_bridge_submits_total{outcome="${outcome}"} 0\n`);
    expect(before).toMatch(/stratum_bridge_build_info\{version="9.9.9",node_version="v\d.*"\} 1\n/);
    const node = web.nodes[0] ?? expect.fail();
    web.nodes[0] = {
      ...node,
      state: 'healthy',
      network: 'development',
      isActive: true,
      chains: 2,
      requests: 7,
    };
    web.events.emit('submit', {
      session: RIG,
      account: '',
      rig: '',
      jobId: '',
      detail: '',
      outcome: 'tryAgain',
      tookMs: 3,
    });
    const after = await scrape();
    const info = 'stratum_bridge_node_info{url="http://node:1848",network="development"}';
    expect(series(after)).toEqual([...series(before), info].sort());
    expect(after).toContain('stratum_bridge_node_state{url="http://node:1848",state="away"} 0\n');
    expect(after).toContain('stratum_bridge_node_state{url="http://node:1848",state="healthy"} 1\n');
    expect(after).toContain('stratum_bridge_node_requests_total{url="http://node:1848"} 7\n');
    expect(after).toContain('stratum_bridge_submit_answer_seconds_bucket{le="0.005"} 1\n');
    expect(after).toContain('stratum_bridge_submit_answer_seconds_bucket{le="0.002"} 0\n');
  });

  it('takes orders of programs, and none of web pages', async () => {
    await using web = await startTestWeb();
    const order = async (headers: Record<string, string>) => {
      const { statusCode, body } = await request(`${web.url}/make-blocks`, {
        method: 'POST',
        headers: { ...bearer(ADMIN), ...headers },
      });
      return [statusCode, await body.text()];
    };
    expect(await order({})).toEqual([200, '{}']);
    expect(await order({ host: 'localhost:1' })).toEqual([200, '{}']);
    for (const headers of [{ origin: 'http://evil.example' }, { origin: 'null' }])
      expect(await order(headers)).toEqual([403, expect.stringContaining('web pages')]);
    expect(await order({ host: 'evil.example' })).toEqual([403, expect.stringContaining('web.hosts')]);
  });

  it.each([
    ['silent', ''],
    ['idle', 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['slow', 'GET /healthz HTTP/1.1\r\nhost: localhost\r\nslow: '],
  ])(
    '%s connections take no more files than are meant for it, and keep nobody out for long',
    async (_, sent) => {
      await using web = await startTestWeb({ connections: 5, requestMs: 400, idleMs: 60_000 });
      const { hostname, port } = new URL(web.url);
      const sockets = Array.from({ length: 20 }, () => connect(Number(port), hostname).on('error', () => {}));
      let open = sockets.length;
      for (const socket of sockets) {
        socket.on('connect', () => socket.write(sent)).on('close', () => open--);
        socket.resume();
      }
      await until('the rest is turned away', () => open <= 5);
      await until('there is room', async () => {
        const answer = await web.get('/healthz').catch(() => undefined);
        return answer?.status === 200;
      });
      for (const socket of sockets) socket.destroy();
    },
  );

  it('answers an unknown path in the shape of all its errors', async () => {
    await using web = await startTestWeb();
    expect(await web.get('/nothing')).toEqual({
      status: 404,
      text: '{"error":"there is nothing at /nothing"}',
    });
  });

  it('says by which methods a path may be asked', async () => {
    await using web = await startTestWeb();
    for (const [method, path, allow] of [
      ['POST', '/api/v1/rigs?q=a', 'GET, HEAD'],
      ['PATCH', '/api/v1/bans', 'GET, HEAD, POST'],
      ['PATCH', '/api/v1/difficulties', 'GET, HEAD, PUT'],
      ['PATCH', '/api/v1/bans/a%2Fb', 'DELETE'],
      ['GET', '/api/v1/sessions/7/close', 'POST'],
      ['DELETE', '/', 'GET, HEAD'],
    ] as const) {
      const answer = await fetchAsReader(web.url + path, { method });
      const bare = path.split('?')[0];
      expect([method, path, answer.status, answer.headers.get('allow'), await answer.json()]).toEqual([
        ...[method, path, 405, allow],
        { error: `${bare} takes ${allow} and not ${method}` },
      ]);
    }
    expect((await fetchAsReader(`${web.url}/api/v1/nothing`, { method: 'POST' })).status).toBe(404);
  });
});

describe('rate window', () => {
  it('forgets what is older than the window, also after a pause or a clock that goes back', () => {
    const window = new RateWindow(60_000, 0);
    window.add(0, 600);
    expect(window.perSecond(60_000 - 1)).toBeCloseTo(10, 1);
    expect(window.perSecond(61_000)).toBe(0);
    window.add(100_000, 600);
    window.add(99_000, 600);
    expect(window.perSecond(100_000)).toBe(20);
    expect(window.perSecond(1_000_000_000)).toBe(0);
  });
});
