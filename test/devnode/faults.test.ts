/** Faults on demand, ordered on the control port of the process. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ask, askWork, chainBytes, mineMany, openStream, postSolved, solve } from './helpers.js';
import { type NodeProcess, startEasyProcess, startNodeProcess } from './process.js';

let node: NodeProcess;
beforeAll(async () => {
  node = await startEasyProcess('--graph', 'triangle', '--control', '127.0.0.1:0');
});
afterEach(() => control('DELETE', '/faults'));
afterAll(() => node[Symbol.asyncDispose]());

const control = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, json?: unknown): Promise<Answer> =>
  ask(`${node.controlUrl}${path}`, { method, ...(json === undefined ? {} : { json }) });

interface CutBody {
  readonly height: number;
  readonly hashes: Readonly<Record<string, { readonly height: number }>>;
}
const cutOf = async (): Promise<CutBody> => (await ask(`${node.url}/cut`)).json();

describe('the control port', () => {
  it('is not there by default, and serves nothing of the interface', async () => {
    await using plain = await startNodeProcess();
    expect(plain.controlUrl).toBe('');
    expect((await ask(`${plain.url}/faults`)).status).toBe(404);
    expect((await ask(`${node.controlUrl}/info`)).status).toBe(404);
  });

  it('delays answers, on one path if asked', async () => {
    await control('PUT', '/faults', { delayMs: 2000, onlyPath: '/cut' });
    const answered: string[] = [];
    await Promise.all(
      ['/cut', '/info'].map(async (path) => {
        await ask(node.url + path);
        answered.push(path);
      }),
    );
    expect(answered).toEqual(['/info', '/cut']);
  });

  it('refuses, stalls, and heals', async () => {
    await control('PUT', '/faults', { refuse: true });
    await expect(ask(`${node.url}/info`)).rejects.toThrow();
    await control('PUT', '/faults', { refuse: false, stall: true });
    const stalled = ask(`${node.url}/info`).then(
      () => 'answered',
      () => 'dropped',
    );
    const first = await Promise.race([
      stalled,
      new Promise((resolve) => setTimeout(resolve, 100, 'waiting')),
    ]);
    expect(first).toBe('waiting');
    await control('DELETE', '/faults');
    expect(await stalled).toBe('dropped');
    expect((await ask(`${node.url}/info`)).status).toBe(200);
  });

  it('ends streams, and cuts connections', async () => {
    const first = await openStream(`${node.url}/mining/updates`, chainBytes(0));
    await control('POST', '/end-streams');
    await first.ended;
    const second = await openStream(`${node.url}/header/updates`);
    const cut = expect(second.ended).rejects.toThrow();
    await control('POST', '/cut-connections');
    await cut;
  });

  it('skews the clock: it is seen in the timestamp, and work from before is refused as in the future', async () => {
    const header = (await askWork(node)).bytes.subarray(36);
    await control('PUT', '/clock', { skewMs: -100_000 });
    const solved = await postSolved(node, solve(header));
    expect([solved.status, solved.text]).toEqual([400, expect.stringContaining('in the future')]);
    const { headers } = await ask(`${node.url}/info`);
    expect(Number(headers['x-server-timestamp'])).toBeLessThan(Date.now() / 1000 - 90);
    expect((await control('GET', '/faults')).json()).toMatchObject({ skewMs: -100_000 });
  });

  it('rewinds to an earlier cut, from which mining goes on', async () => {
    await mineMany(node, 12);
    expect((await control('POST', '/rewind', { height: 2 })).json()).toEqual({ height: 6 });
    expect(Object.values((await cutOf()).hashes).map(({ height }) => height)).toEqual([2, 2, 2]);
    await mineMany(node, 3);
    expect((await cutOf()).height).toBe(9);
    expect((await control('POST', '/rewind', { height: 5000 })).status).toBe(400);
  });

  it('disables and enables mining', async () => {
    await control('PUT', '/faults', { miningEnabled: false });
    expect((await askWork(node)).status).toBe(404);
    await control('PUT', '/faults', { miningEnabled: true });
    expect((await askWork(node)).status).toBe(200);
  });

  it.each([
    ['PUT', '/faults', { nonsense: 1 }, 'nonsense'],
    ['PUT', '/faults', { delayMs: -1 }, 'delayMs'],
    ['PUT', '/faults', { stall: 'yes' }, 'stall'],
    ['PUT', '/faults', undefined, 'JSON object'],
    ['PUT', '/faults', { dropTransaction: true }, 'dropTransaction'],
    ['PUT', '/clock', {}, 'skewMs'],
    ['PUT', '/clock', { frozen: 'yes' }, 'frozen'],
    ['POST', '/rewind', { height: 'x' }, 'height'],
    ['PUT', '/links', { connected: 1 }, 'connected'],
    ['PUT', '/links', { connected: true, url: 'http://nowhere' }, 'nowhere'],
  ] as const)('%s %s %j is refused naming %s', async (method, path, body, named) => {
    const answer = await control(method, path, body);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).toContain(named);
  });
});
