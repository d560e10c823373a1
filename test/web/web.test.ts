import { describe, expect, it } from 'vitest';
import { createBridgeEvents, type NodeReport } from '../../src/bridge/events.js';
import { JobBook } from '../../src/core/job.js';
import { SILENT } from '../../src/core/log.js';
import { Freshness } from '../../src/web/freshness.js';
import { createMetrics } from '../../src/web/metrics.js';
import { RateWindow } from '../../src/web/rate-window.js';
import { startWebServer } from '../../src/web/server.js';
import type { SummarySources } from '../../src/web/summary.js';
import { Tally } from '../../src/web/tally.js';
import { makeWork } from '../helpers/works.js';

const RIG = { id: 1, transport: 'ws', peer: '127.0.0.1:9' } as const;

const IDLE = { isActive: false, chains: 0, requests: 0 };

async function startTestWeb() {
  const events = createBridgeEvents();
  const clock = { nowMs: () => now };
  let now = 1_000_000;
  const tally = new Tally(events, clock);
  const book = new JobBook(1);
  const nodes: NodeReport[] = [
    { ...IDLE, url: 'http://me:secret@node:1848', state: 'away', network: '', reason: 'ECONNREFUSED' },
  ];
  const sources: SummarySources = {
    version: '9.9.9',
    startedAtMs: 0,
    tally,
    freshness: new Freshness(events, clock),
    nodes: () => nodes,
    liveJobs: () => book.liveJobs,
    rigs: () => undefined,
    pendingSolutions: () => 2,
    queue: async () => ({ backend: 'postgres', waiting: 3, spooled: 4 }),
    ledger: async () => ({ shares: 5, work: '123456789012345678901234567890' }),
  };
  const address = { host: '127.0.0.1', port: 0 };
  const web = await startWebServer({
    ...address,
    sources,
    metrics: createMetrics(events, sources),
    log: SILENT,
  });
  const get = async (path: string) => {
    const response = await fetch(web.url + path);
    return { status: response.status, text: await response.text() };
  };
  const passTime = (ms: number): void => {
    now += ms;
  };
  return { events, book, nodes, get, passTime, [Symbol.asyncDispose]: () => web.close() };
}

describe('web', () => {
  it('is healthy at once, ready when jobs flow, and says what is missing until then', async () => {
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
      nodes: [{ ...IDLE, url: 'http://node:1848/', state: 'away', network: '', reason: 'ECONNREFUSED' }],
      works: [{ chainId: 4, height: 77, blockDifficulty: String(1n << 70n), ageMs: 60_000 }],
      freshness: { delayMs: { p50: 12.5, p99: 12.5, max: 12.5 }, jobs: 1, staleHashes: 0.5 },
      sessions: 1,
      rigs: { leased: 0, parked: 0, bans: 0, waiting: 0, refused: 0 },
      hashesPerSecond: expect.closeTo(1_000_000, -5),
      submits: {
        accepted: 61,
        stale: 1,
        duplicate: 0,
        lowDifficulty: 0,
        unknownJob: 0,
        malformed: 0,
        unauthorized: 0,
      },
      solutions: { found: 0, accepted: 0, rejected: 0, pending: 2 },
      queue: { backend: 'postgres', waiting: 3, spooled: 4 },
      ledger: { shares: 5, work: '123456789012345678901234567890' },
    });
    web.events.emit('sessionClosed', RIG, 'gone');
    const { text } = await web.get('/metrics');
    expect(text).toContain('stratum_bridge_submits_total{outcome="accepted"} 61');
    expect(text).toContain('stratum_bridge_sessions 0');
    expect(text).not.toContain('secret');
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
