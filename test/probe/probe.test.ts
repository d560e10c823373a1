/** Scripted servers on real sockets, and the command over them. */
import { afterEach, describe, expect, it } from 'vitest';
import { targetOf, targetToHexBigEndian } from '../../src/core/work/target.js';
import type { ServerReport } from '../../src/probe/probe.js';
import { runHere } from '../helpers/processes/command.js';
import { freePorts } from '../helpers/processes/ports.js';
import { makeWork } from '../helpers/rigs/works.js';
import { until } from '../helpers/until.js';
import { type PoolScript, type PoolTransport, type ScriptedPool, startPool } from '../rig/scripted-pool.js';

const EASY = targetToHexBigEndian(targetOf(50n));
const headerAt = (height: number): Uint8Array => makeWork({ height, parent: height }).header;

const open: ScriptedPool[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function start(transport: PoolTransport = 'tcp', script?: PoolScript): Promise<ScriptedPool> {
  const pool = await startPool({
    ...{ transport, targetHex: EASY, jobs: [{ id: 'j10', header: headerAt(10) }] },
    ...(script && { script }),
  });
  open.push(pool);
  return pool;
}

async function probed(args: readonly string[]) {
  const { code, text, stderr } = await runHere('probe', ['--rigs', '1', ...args, '--json']);
  return { code, stderr, reports: JSON.parse(text) as ServerReport[] };
}

describe('probe', () => {
  it('times each step of every server, and compares when each gave the same work', async () => {
    const [soon, late] = [await start('tcp'), await start('ws')];
    const asked = probed([soon.url, late.url, '--for', '3s']);
    const isAuthorized = ({ requests }: ScriptedPool): boolean =>
      requests.some(({ method }) => method === 'mining.authorize');
    await until('both have a rig', () => [soon, late].every(isAuthorized));
    for (const height of [11, 12]) {
      soon.seats[0]?.sendJob(`j${height}`, headerAt(height));
      await new Promise((resolve) => setTimeout(resolve, 200));
      late.seats[0]?.sendJob(`j${height}`, headerAt(height));
    }
    const { code, stderr, reports } = await asked;
    expect([code, stderr]).toEqual([0, '']);
    const [first, second] = reports;
    expect(first).toMatchObject({
      jobs: 3,
      compared: 2,
      first: 2,
      laterMedianMs: 0,
      reconnects: 0,
      fault: '',
    });
    expect(second).toMatchObject({ jobs: 3, compared: 2, first: 0, difficulty: '50' });
    expect(second?.laterMedianMs).toBeGreaterThan(100);
    expect(first?.stalePart).toBe(0);
    expect(second?.stalePart).toBeGreaterThan(0.02);
    for (const report of reports)
      for (const step of ['connectMs', 'subscribeMs', 'authorizeMs', 'firstJobMs', 'answerMedianMs'] as const)
        expect(report[step], step).toBeGreaterThanOrEqual(0);
    // A WebSocket is opened after TCP stands, and plain TCP is all there is to a line of text.
    expect([first?.handshakeMs, typeof second?.handshakeMs]).toEqual([null, 'number']);
    const methods = new Set([soon, late].flatMap(({ requests }) => requests.map(({ method }) => method)));
    expect([...methods].sort()).toEqual(['mining.authorize', 'mining.ping', 'mining.subscribe']);
  });

  it('compares what any of several rigs of a server is given', async () => {
    const [one, other] = [await start(), await start()];
    const asked = probed([one.url, other.url, '--for', '3s', '--rigs', '2']);
    await until('all rigs are there', () => [one, other].every(({ seats }) => seats.length === 2));
    await until('they have work', () =>
      [one, other].every(
        ({ requests }) => requests.filter(({ method }) => method === 'mining.authorize').length === 2,
      ),
    );
    one.seats[0]?.sendJob('a', headerAt(11));
    other.seats[1]?.sendJob('b', headerAt(11));
    const { reports } = await asked;
    expect(reports.map(({ compared, jobs }) => [compared, jobs])).toEqual([
      [1, 3],
      [1, 3],
    ]);
    // The other rig of each has been left with what is out of date.
    for (const { stalePart } of reports) expect(stalePart).toBeGreaterThan(0.1);
  });

  it('logs in as an account that is made up, or as who is named', async () => {
    const pool = await start();
    await probed([pool.url, '--for', '1s']);
    await probed([pool.url, '--for', '1s', '--user', 'me.there', '--password', 'p']);
    const logins = pool.requests.filter(({ method }) => method === 'mining.authorize');
    expect(logins.map(({ params }) => params)).toEqual([
      [expect.stringMatching(/^k:[0-9a-f]{64}\.probe$/), 'x'],
      ['me.there', 'p'],
    ]);
  });

  it('sends as many shares as are asked for, which are shares', async () => {
    const pool = await start();
    const { reports } = await probed([pool.url, '--for', '2s', '--submit', '3']);
    expect(pool.verdicts).toEqual([true, true, true]);
    expect(reports[0]).toMatchObject({ accepted: 3, rejected: 0 });
  });

  it('says why a server gives nothing, and connects again', async () => {
    const refuses = await start('tcp', {
      answer: ({ method }) =>
        method === 'mining.authorize'
          ? { result: false, error: [24, `not here\u001b[31m${'!'.repeat(999)}`, null] }
          : undefined,
      greet: () => undefined,
    });
    const [nowhere] = await freePorts(1);
    const { code, stderr, reports } = await probed([
      ...[refuses.url, `tcp://127.0.0.1:${nowhere}`, '--for', '5s'],
    ]);
    expect(code).toBe(1);
    expect(reports[0]?.fault).toMatch(/^the pool refused the login k:.*\.probe: not here\S*!+$/);
    expect(stderr).not.toContain('\u001b');
    expect(reports[0]?.fault.length).toBeLessThan(250);
    expect(reports[0]?.reconnects).toBeGreaterThan(0);
    expect(reports[0]).toMatchObject({ firstJobMs: null, stalePart: null });
    expect(reports[1]?.fault).toMatch(/ECONNREFUSED/);
    expect(stderr).toMatch(/0 of 2 servers give work, 0 jobs so far/);
    expect(stderr).toMatch(/refused the login/);
  });

  it('goes on where a server knows no pings, and asks it no more of them', async () => {
    const pool = await start('tcp', {
      // An answer to nothing.
      answer: ({ method }) => (method === 'mining.ping' ? { id: 999 } : undefined),
    });
    const { code, reports } = await probed([pool.url, '--for', '10s']);
    expect([code, reports[0]?.answerMedianMs]).toEqual([0, null]);
    expect(pool.requests.filter(({ method }) => method === 'mining.ping')).toHaveLength(3);
  });

  it('listens no more to a server that gives jobs without end', async () => {
    const pool = await start('tcp', {
      greet: (seat) => {
        seat.sendTarget(EASY);
        for (let i = 0; i < 20_010; i++) seat.sendJob(`j${i}`, headerAt(i % 200));
      },
    });
    const { code, reports } = await probed([pool.url, '--for', '6s']);
    expect([code, reports[0]?.jobs, reports[0]?.reconnects]).toEqual([1, 20_000, 0]);
    expect(reports[0]?.fault).toMatch(/^it gave 20000 jobs over one connection/);
  });

  it('names each address that is none, before it connects', async () => {
    const { code, stderr } = await runHere('probe', ['http://pool', 'tcp://127.0.0.1:1', 'pool:1917']);
    expect(code).toBe(2);
    expect(stderr).toContain('http://pool');
    expect(stderr).toContain('pool:1917');
    expect((await runHere('probe', [])).code).toBe(2);
  });

  it('is a table on a terminal', async () => {
    const pool = await start();
    const { text } = await runHere('probe', [pool.url, '--for', '1s'], {}, { columns: 220 });
    expect(text).toMatch(/server\s+connect ms\s+.*stale/);
    expect(text).toContain(pool.url);
  });
});
