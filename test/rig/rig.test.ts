import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loggedShares } from '../../src/commands/audit/rig-log.js';
import { openRigLog } from '../../src/commands/rig/share-log.js';
import { midstateOf } from '../../src/core/bytes/blake2s.js';
import type { Log } from '../../src/core/names/log.js';
import { SILENT } from '../../src/core/names/log.js';
import { headerFromBytes, powHashWithNonce } from '../../src/core/work/header.js';
import { meetsTarget, type Target, targetOf, targetToHexBigEndian } from '../../src/core/work/target.js';
import { Rig, type RigOptions } from '../../src/rig/rig.js';
import { temporaryFolder } from '../helpers/folder.js';
import { freePort } from '../helpers/processes/ports.js';
import { THREAD_URL } from '../helpers/processes/threads.js';
import { makeWork } from '../helpers/rigs/works.js';
import { untilTrue } from '../helpers/until.js';
import { type PoolOptions, type PoolScript, type ScriptedPool, startPool } from './scripted-pool.js';

const TARGET_HEX = targetToHexBigEndian(targetOf(60_000n));
const JOBS = [1, 2, 3].map((parent) => ({ id: `j${parent}`, header: makeWork({ parent }).header }));

const TIMING = { connectTimeoutMs: 60_000, firstPauseMs: 20, longestPauseMs: 100, failbackMs: 100 };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function pool(transport: 'tcp' | 'ws', script: PoolScript = {}, more: Partial<PoolOptions> = {}) {
  const started = await startPool({ transport, script, targetHex: TARGET_HEX, jobs: JOBS, ...more });
  open.push(started);
  return started;
}

function rig(urls: string[], more: Partial<RigOptions> = {}): { rig: Rig; said: string[] } {
  const said: string[] = [];
  const say = (fields: object, message: string): void =>
    void said.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug() {}, info: say, warn: say, error: say };
  const started = new Rig({
    urls,
    user: 'k:miner.one',
    password: 'x',
    agent: 'test/1',
    threads: 1,
    kernel: 'scalar',
    tlsInsecure: false,
    log,
    random: () => 0.5,
    threadUrl: THREAD_URL,
    timing: TIMING,
    ...more,
  });
  open.unshift(started);
  return { rig: started, said };
}

const accepted = (r: Rig): number => r.status().submits.accepted;
const methods = ({ requests }: ScriptedPool): string[] => requests.map(({ method }) => method);

it('adds what each share was answered to a file, also at its next start', async () => {
  const p = await pool('tcp');
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'shares.csv');
  for (const shares of [3, 3]) {
    const log = await openRigLog(path, SILENT);
    const { rig: r } = rig([p.url], { answered: (job, answer) => log.add(job, answer) });
    await untilTrue(() => accepted(r) >= shares);
    await r.close();
    await log.close();
  }
  const [head, ...lines] = (await readFile(path, 'utf8')).trimEnd().split('\n');
  expect(head).toBe('time,chain,height,work,answer');
  expect(lines.length).toBeGreaterThanOrEqual(6);
  for (const line of lines) expect(line).toMatch(/^20\d\d-[-\d]+T[\d:.]+Z,\d+,\d+,[1-9]\d*,accepted$/);
  expect((await loggedShares(path)).length).toBe(lines.length);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await expect(openRigLog(join(path, 'no'), SILENT)).rejects.toThrow('--log ');
});

describe.each(['tcp', 'ws'] as const)('over %s', (transport) => {
  it('subscribes, authorizes, mines and has its shares accepted', async () => {
    const p = await pool(transport);
    const { rig: r } = rig([p.url]);
    await untilTrue(() => accepted(r) >= 5);
    expect(methods(p).slice(0, 3)).toEqual(['mining.subscribe', 'mining.authorize', 'mining.submit']);
    expect(p.requests[0]?.params[0]).toBe('test/1');
    expect(p.requests[1]?.params).toEqual(['k:miner.one', 'x']);
    expect(p.requests[2]?.params.slice(0, 2)).toEqual(['k:miner.one', 'j1']);
    expect(p.verdicts.every((good) => good)).toBe(true);
    expect(r.status()).toMatchObject({ state: 'mining', nonce1: '0123', jobs: 1, connections: 1 });
  });

  it('goes over to each new job, and never tries a nonce twice when one comes again', async () => {
    const p = await pool(transport);
    const { rig: r } = rig([p.url]);
    for (const job of [...JOBS, ...JOBS]) {
      const before = accepted(r);
      await untilTrue(() => accepted(r) > before);
      p.seats[0]?.sendJob(job.id, job.header);
    }
    await untilTrue(() => p.requests.at(-1)?.params[1] === 'j3');
    expect(p.verdicts.every((good) => good)).toBe(true);
    const claims = p.requests.map(({ params }) => params.join());
    expect(new Set(claims).size).toBe(claims.length);
  });

  it.each([
    ['0123', 6, '0123'],
    ['38', 6, '0038'],
    ['0a0b0c', 5, '0a0b0c'],
    ['01020304', 4, '01020304'],
    ['0102030405', 3, '0102030405'],
  ])('mines with the nonce1 %s and %i bytes of nonce2', async (nonce1, nonce2Bytes, full) => {
    const p = await pool(transport, { nonce1, nonce2Bytes });
    const { rig: r } = rig([p.url]);
    await untilTrue(() => accepted(r) >= 2);
    expect(p.verdicts.every((good) => good)).toBe(true);
    expect(r.status().nonce1).toBe(full);
  });

  it('comes back after the pool has gone, and asks for its nonce1 again', async () => {
    const port = await freePort();
    const first = await pool(transport, {}, { port });
    const { rig: r } = rig([first.url]);
    await untilTrue(() => accepted(r) >= 1);
    await first.close();
    await untilTrue(() => r.status().state === 'connecting');
    const second = await pool(transport, {}, { port });
    await untilTrue(() => second.verdicts.length >= 1);
    expect(second.requests[0]?.params).toEqual(['test/1', '0123']);
    expect(r.status().connections).toBe(2);
    expect(second.nonces.some((nonce) => first.nonces.includes(nonce))).toBe(false);
  });

  it('counts what the pool rejects, by its code', async () => {
    const answer: PoolScript['answer'] = ({ method }) =>
      method === 'mining.submit' ? { result: false, error: [22, 'duplicate', null] } : undefined;
    const p = await pool(transport, { answer });
    const { rig: r } = rig([p.url]);
    await untilTrue(() => r.status().submits.rejected >= 2);
    expect(r.status().submits).toMatchObject({ accepted: 0, reasons: [{ code: 22, text: 'duplicate' }] });
  });
});

it('reads a pool that sends one byte at a time', async () => {
  const p = await pool('tcp', { dribble: true });
  const { rig: r } = rig([p.url]);
  await untilTrue(() => accepted(r) >= 1);
});

/** Submits of a job that came to the pool from one message on, and whether all of them met a target. */
function submitsSince({ requests }: ScriptedPool, from: number, id: string, target: Target) {
  const header = headerFromBytes(JOBS.find((job) => job.id === id)?.header ?? new Uint8Array());
  const hits = requests
    .slice(from)
    .filter(({ method, params }) => method === 'mining.submit' && params[1] === id);
  const meets = ({ params }: (typeof hits)[number]): boolean =>
    meetsTarget(powHashWithNonce(header, midstateOf(header), BigInt(`0x${params[2]}0123`)), target);
  return { count: hits.length, good: hits.filter(meets).length };
}

it('R20: holds to a harder target at once, and to an easier one with the next job', async () => {
  const p = await pool('tcp');
  const { rig: r } = rig([p.url]);
  await untilTrue(() => accepted(r) >= 1);
  const hard = targetOf(600_000n);
  /** Sets a target and waits until the rig has read it; what comes later is searched by it. */
  const setTarget = async (hex: string, id: string): Promise<number> => {
    p.seats[0]?.sendTarget(hex);
    p.seats[0]?.send({ id, method: 'client.get_version', params: [] });
    await untilTrue(() => p.requests.some((request) => request.id === id));
    return p.requests.findIndex((request) => request.id === id);
  };
  const atHard = await setTarget(targetToHexBigEndian(hard), 'harder');
  await untilTrue(() => submitsSince(p, atHard, 'j1', hard).count >= 5);
  const atEasy = await setTarget(TARGET_HEX, 'easier');
  await untilTrue(() => submitsSince(p, atEasy, 'j1', hard).count >= 5);
  const { count, good } = submitsSince(p, atHard, 'j1', hard);
  expect(good).toBe(count);
  const jobs = r.status().jobs;
  p.seats[0]?.sendJob('j2', JOBS[1]?.header ?? new Uint8Array());
  await untilTrue(() => submitsSince(p, atEasy, 'j2', hard).count >= 50);
  const easy = submitsSince(p, atEasy, 'j2', hard);
  expect(easy.good).toBeLessThan(easy.count);
  expect([jobs, r.status().jobs]).toEqual([1, 2]);
});

describe('a pool of another dialect', () => {
  const line = (method: string, ...params: unknown[]): string => JSON.stringify({ id: null, method, params });
  const nine = (id: number): string =>
    line('mining.notify', `${id}`, `0${id}`, '01', '02', [], '20000000', '1d00ffff', '5f5e1000', true);
  const says = (...lines: string[]): PoolScript => ({
    greet: (seat) => {
      for (const each of lines) seat.sendText(each);
    },
  });
  const script = says(...[1, 2, 3, 4].map(nine));
  const target = line('mining.set_target', TARGET_HEX);
  const headersOf = (bytes: number): string[] =>
    [1, 2, 3].map((id) => line('mining.notify', `${id}`, `0${id}`.repeat(bytes), true));
  const [headers, sizes] = [headersOf(286), headersOf(80)];

  it.each([
    ['jobs by another method', [1, 2, 3].map((id) => line('job', id)), /job with 1 parts/],
    [
      'difficulties alone',
      [1, 2, 3].map((n) => line('mining.set_difficulty', n)),
      /mining\.set_difficulty with 1/,
    ],
    ['headers of another kind', [target, ...headers], /mining\.notify with a header that cannot be read/],
    ['headers of another size', [target, ...sizes], /mining\.notify with 3 parts/],
  ])('R19: is left for the next one also when it sends %s', async (_what, lines, words) => {
    const [first, second] = [await pool('tcp', says(...lines)), await pool('tcp', { nonce1: '2222' })];
    const { rig: r, said } = rig([first.url, second.url], { timing: { ...TIMING, failbackMs: 60_000 } });
    await untilTrue(() => accepted(r) >= 1);
    expect(r.status().nonce1).toBe('2222');
    expect(said.filter((text) => text.includes('another dialect')).join()).toMatch(words);
    expect(said.filter((text) => text.includes('sent something wrong'))).toHaveLength(1);
  });

  it('R19: is not what a pool is that has given a job', async () => {
    const p = await pool('tcp');
    const { rig: r, said } = rig([p.url]);
    await untilTrue(() => accepted(r) >= 1);
    for (let n = 1; n <= 6; n++)
      p.seats[0]?.sendText(n % 2 ? line('mining.set_difficulty', n) : line('news', n));
    const before = accepted(r);
    await untilTrue(() => accepted(r) > before + 5);
    expect(said.join()).not.toContain('another dialect');
    expect(r.status().connections).toBe(1);
  });

  it('R19: is left for the next one with one sentence that says what it speaks and what was expected', async () => {
    const [first, second] = [await pool('tcp', script), await pool('tcp', { nonce1: '2222' })];
    const { rig: r, said } = rig([first.url, second.url], { timing: { ...TIMING, failbackMs: 60_000 } });
    await untilTrue(() => accepted(r) >= 1);
    expect(r.status().nonce1).toBe('2222');
    const sentences = said.filter((line) => line.includes('another dialect'));
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toMatch(
      /mining\.notify with 9 parts .* expects mining\.set_target .* mining\.notify \[job id, /,
    );
  });

  it('R19: is tried again with pauses, and what it does again is counted and not printed', async () => {
    const only = await pool('tcp', script);
    const { said } = rig([only.url]);
    await untilTrue(() => only.seats.length >= 11);
    const of = (text: string): number => said.filter((line) => line.includes(text)).length;
    // Each time with another job; one line in ten seconds.
    expect(of('another dialect')).toBeLessThan(5);
    expect(of('sent something wrong')).toBeLessThan(5);
  });
});

describe('says what is wrong', () => {
  const greeting = (...texts: string[]): PoolScript => ({
    greet: (seat) => {
      for (const text of texts) seat.sendText(text);
      seat.sendTarget(TARGET_HEX);
      for (const { id, header } of JOBS.slice(0, 1)) seat.sendJob(id, header);
    },
  });
  const notify = (header: string): string =>
    JSON.stringify({ id: null, method: 'mining.notify', params: ['bad', header] });

  it.each([
    ['a short target', '{"id":null,"method":"mining.set_target","params":["00ff"]}', '64 hex digits'],
    [
      'a target of zero',
      `{"id":null,"method":"mining.set_target","params":["${'0'.repeat(64)}"]}`,
      'no hash meets',
    ],
    ['a short header', notify('00'.repeat(285)), '572 hex digits'],
    ['no JSON', 'hello', 'no JSON'],
    ['lists within lists', `{"id":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, 'deeper than 64 levels'],
    ['a difficulty', '{"id":null,"method":"mining.set_difficulty","params":[5]}', 'mining.set_target'],
    ['an unknown method', '{"id":null,"method":"mining.dance","params":[]}', 'mining.dance'],
    ['an answer to nothing', '{"id":99,"result":true,"error":null}', 'request 99'],
  ])('with %s, and mines what is right', async (_, text, fault) => {
    const p = await pool('tcp', greeting(text));
    const { rig: r, said } = rig([p.url]);
    await untilTrue(() => accepted(r) >= 1);
    expect(said.some((line) => line.includes(fault))).toBe(true);
  });

  it('with a header of other than three adjacents', async () => {
    const header = Uint8Array.from(JOBS[0]?.header ?? []);
    header[48] = 2;
    const bad = notify(Buffer.from(header).toString('hex'));
    const target = JSON.stringify({ id: null, method: 'mining.set_target', params: [TARGET_HEX] });
    const p = await pool('tcp', greeting(target, bad));
    const { rig: r, said } = rig([p.url]);
    await untilTrue(() => accepted(r) >= 1);
    expect(said.some((line) => line.includes('job bad: a header with 2 adjacents has 250 bytes'))).toBe(true);
  });

  it.each([
    ['nonce sizes it cannot mine with', { nonce1: '01', nonce2Bytes: 7 }, '2 to 5'],
    ['a subscription without a nonce', { answer: () => ({ result: true }) }, 'did not take the subscription'],
    [
      'a refused login',
      {
        answer: ({ method }: { method: string }) =>
          method === 'mining.authorize' ? { result: null, error: [24, 'no account', null] } : undefined,
      },
      'no account (24)',
    ],
  ])('with %s, and tries again', async (_, script: PoolScript, fault) => {
    const p = await pool('tcp', script);
    const { said } = rig([p.url]);
    await untilTrue(() => methods(p).filter((method) => method === 'mining.subscribe').length >= 2);
    expect(said.some((line) => line.includes(fault))).toBe(true);
  });

  it('with an endless line', async () => {
    const p = await pool('tcp', { greet: (seat) => seat.sendText('x'.repeat(70_000)) });
    const { said } = rig([p.url]);
    await untilTrue(() => said.some((line) => line.includes('a line longer than 65536 bytes')));
  });

  it('with a pool that is not there', async () => {
    const gone = await pool('tcp');
    await gone.close();
    const { said } = rig([gone.url]);
    await untilTrue(() => said.some((line) => line.includes('ECONNREFUSED')));
  });

  it.each(['http://pool:1', 'pool:1917', 'tcp://', ''])('with the address %s', (url) => {
    expect(() => rig([url])).toThrow(`not ${url}`);
  });
});

it('takes the next pool when the first is away, and comes back to the first', async () => {
  const second = await pool('ws', { nonce1: '2222' });
  const port = await freePort();
  const { rig: r } = rig([`tcp://127.0.0.1:${port}`, second.url]);
  await untilTrue(() => accepted(r) >= 1);
  expect(r.status()).toMatchObject({ nonce1: '2222' });
  await pool('tcp', { nonce1: '1111' }, { port });
  await untilTrue(() => r.status().nonce1 === '1111');
  const before = accepted(r);
  await untilTrue(() => accepted(r) > before);
});

/** A pool that says something again and again and never gives a job. */
const chatter: PoolScript = {
  greet: (seat) => {
    const timer = setInterval(
      () => seat.send({ id: null, method: 'client.show_message', params: ['no work now'] }),
      20,
    );
    chattering.push(timer);
  },
};
const chattering: NodeJS.Timeout[] = [];
afterEach(() => {
  for (const timer of chattering.splice(0)) clearInterval(timer);
});

it('CU2: leaves a pool that talks and gives no job for the next one', async () => {
  const [first, second] = [await pool('tcp', chatter), await pool('tcp', { nonce1: '2222' })];
  const { rig: r, said } = rig([first.url, second.url], { timing: { ...TIMING, firstJobMs: 300 } });
  await untilTrue(() => accepted(r) >= 1);
  expect(r.status().nonce1).toBe('2222');
  expect(said.join()).toContain('the pool gave no job for 300 ms');
});

it('CU2: leaves a pool that talks and gives no other job', async () => {
  const p = await pool('tcp', {
    greet: (seat) => {
      seat.sendTarget(TARGET_HEX);
      for (const { id, header } of JOBS.slice(0, 1)) seat.sendJob(id, header);
      chatter.greet?.(seat);
    },
  });
  const { said } = rig([p.url], { timing: { ...TIMING, nextJobMs: 300 } });
  await untilTrue(() => p.seats.length === 2);
  expect(said.join()).toContain('the pool gave no job for 300 ms');
});

it('CU2: does not wait on a better pool without a job, and looks at the next', async () => {
  const ports = [await freePort(), await freePort()];
  const third = await pool('tcp', { nonce1: '3333' });
  const urls = [...ports.map((port) => `tcp://127.0.0.1:${port}`), third.url];
  const { rig: r } = rig(urls, { timing: { ...TIMING, firstJobMs: 300 } });
  await untilTrue(() => r.status().nonce1 === '3333');
  await pool('tcp', chatter, { port: ports[0] ?? 0 });
  await pool('tcp', { nonce1: '2222' }, { port: ports[1] ?? 0 });
  await untilTrue(() => r.status().nonce1 === '2222');
});

it('CU1: reads an answer and a job that came on one line', async () => {
  const p = await pool('tcp', {
    greet: (seat) => {
      const [job] = JOBS.map(({ id, header }) => [id, Buffer.from(header).toString('hex'), true]);
      const target = { id: null, method: 'mining.set_target', params: [TARGET_HEX] };
      const notify = { id: null, method: 'mining.notify', params: job };
      seat.sendText(`${JSON.stringify(target)} ${JSON.stringify(notify)}`);
    },
  });
  const { rig: r, said } = rig([p.url]);
  await untilTrue(() => accepted(r) >= 1);
  expect(said.join()).not.toContain('something wrong');
});

it('CU1: takes ids that come back as texts', async () => {
  const answer: PoolScript['answer'] = ({ id, method }) =>
    method === 'mining.submit' ? { id: String(id), result: true } : undefined;
  const p = await pool('tcp', { answer });
  const { rig: r } = rig([p.url]);
  await untilTrue(() => accepted(r) >= 1);
});

it('CU1: gives up on submits that are not answered, says so in one line, and mines on', async () => {
  const answer: PoolScript['answer'] = ({ method }) =>
    method === 'mining.submit' ? { id: 0, result: true } : undefined;
  const p = await pool('tcp', { answer }, { targetHex: targetToHexBigEndian(targetOf(200n)) });
  const { rig: r, said } = rig([p.url], { timing: { ...TIMING, answerMs: 1000, refusedMs: 600_000 } });
  const submits = (): number => methods(p).filter((method) => method === 'mining.submit').length;
  await untilTrue(() => r.status().submits.unanswered > 0 && submits() > 600);
  const sentences = said.filter((line) => line.startsWith('submits unanswered'));
  expect(sentences[0]).toMatch(/"count":\d+,"reason":"no answer within 1000 ms"/);
  // A sentence each time the rig looks, not one for each submit.
  const counts = sentences.map((line) => Number(/"count":(\d+)/.exec(line)?.[1]));
  expect(Math.max(...counts)).toBeGreaterThan(1);
  expect(counts.reduce((sum, count) => sum + count)).toBe(r.status().submits.unanswered);
  expect(r.status().connections).toBe(1);
});

it('CU10: holds a wait that a pool asks for against that pool alone', async () => {
  const [first, second] = [await pool('tcp'), await pool('tcp', { nonce1: '2222' })];
  const { rig: r } = rig([first.url, second.url]);
  await untilTrue(() => accepted(r) >= 1);
  first.seats[0]?.send({ id: null, method: 'client.reconnect', params: ['', 0, 3600] });
  await untilTrue(() => r.status().nonce1 === '2222');
  const before = accepted(r);
  await untilTrue(() => accepted(r) > before);
  expect(first.seats).toHaveLength(1);
});

it('CU10: goes on to the next pool when one gives a job and closes', async () => {
  const greet: PoolScript['greet'] = (seat) => {
    seat.sendTarget(TARGET_HEX);
    for (const { id, header } of JOBS.slice(0, 1)) seat.sendJob(id, header);
    seat.close();
  };
  const [first, second] = [await pool('tcp', { greet }), await pool('tcp', { nonce1: '2222' })];
  const { rig: r } = rig([first.url, second.url], { timing: { ...TIMING, failbackMs: 600_000 } });
  await untilTrue(() => second.verdicts.length >= 1);
  expect(r.status().nonce1).toBe('2222');
});

it('CU10, CU22: leaves a pool that refuses every share, and says each reason once', async () => {
  const answer: PoolScript['answer'] = ({ method }) =>
    method === 'mining.submit' ? { result: false, error: [23, 'low difficulty', null] } : undefined;
  const [first, second] = [await pool('tcp', { answer }), await pool('tcp', { nonce1: '2222' })];
  const timing = { ...TIMING, refusedMs: 100, failbackMs: 600_000 };
  const { rig: r, said } = rig([first.url, second.url], { timing });
  await untilTrue(() => accepted(r) >= 1);
  expect(said.filter((line) => line.startsWith('share rejected')).length).toBeLessThan(5);
  expect(said.join()).toMatch(/the pool accepted none of the last \d+ submits/);
});

it('answers client.get_version and comes again when the pool asks for it', async () => {
  const p = await pool('tcp');
  const { rig: r } = rig([p.url]);
  await untilTrue(() => accepted(r) >= 1);
  p.seats[0]?.send({ id: 'v1', method: 'client.get_version', params: [] });
  await untilTrue(() => p.requests.some((request) => 'result' in request && request.result === 'test/1'));
  p.seats[0]?.send({ id: null, method: 'client.reconnect', params: ['', 0, 0] });
  await untilTrue(() => p.seats.length === 2);
  await untilTrue(() => r.status().connections === 2);
});

it('leaves a pool that has fallen silent', async () => {
  const p = await pool('tcp', {}, { targetHex: `${'0'.repeat(63)}1` });
  const { said } = rig([p.url], { timing: { ...TIMING, nextJobMs: 200 } });
  await untilTrue(() => p.seats.length === 2);
  expect(said.some((line) => line.includes('gave no job for 200 ms'))).toBe(true);
});
