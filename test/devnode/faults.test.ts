/** Faults on demand, asked for on the control port. */
import { afterEach, describe, expect, it } from 'vitest';
import type { DevNode } from '../../src/devnode/server.js';
import {
  type Answer,
  ask,
  askWork,
  chainBytes,
  mineMany,
  openStream,
  postSolved,
  solve,
  testNodes,
} from './helpers.js';

const { easyNode, cleanUp } = testNodes();
afterEach(cleanUp);

async function startNode(): Promise<{
  node: DevNode;
  control: (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, json?: unknown) => Promise<Answer>;
}> {
  const node = await easyNode({ graph: 'triangle', control: { host: '127.0.0.1', port: 0 } });
  return {
    node,
    control: (method, path, json) =>
      ask(`${node.controlUrl}${path}`, { method, ...(json === undefined ? {} : { json }) }),
  };
}

describe('the control port', () => {
  it('is not there by default, and serves nothing of the interface', async () => {
    const plain = await easyNode();
    expect(plain.controlUrl).toBeUndefined();
    expect((await ask(`${plain.url}/faults`)).status).toBe(404);
    const { node } = await startNode();
    expect((await ask(`${node.controlUrl}/info`)).status).toBe(404);
  });

  it('delays answers, on one path if asked', async () => {
    const { node, control } = await startNode();
    await control('PUT', '/faults', { delayMs: 500, onlyPath: '/cut' });
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
    const { node, control } = await startNode();
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
    const { node, control } = await startNode();
    const first = await openStream(`${node.url}/mining/updates`, chainBytes(0));
    await control('POST', '/end-streams');
    await first.ended;
    const second = await openStream(`${node.url}/header/updates`);
    await control('POST', '/cut-connections');
    await expect(second.ended).rejects.toThrow();
  });

  it('skews the clock: it is seen in the timestamp, and work from before is refused as in the future', async () => {
    const { node, control } = await startNode();
    const header = (await askWork(node)).bytes.subarray(36);
    await control('PUT', '/clock', { skewMs: -100_000 });
    const solved = await postSolved(node, solve(header));
    expect([solved.status, solved.text]).toEqual([400, expect.stringContaining('in the future')]);
    const { headers } = await ask(`${node.url}/info`);
    expect(Number(headers['x-server-timestamp'])).toBeLessThan(Date.now() / 1000 - 90);
    expect((await control('GET', '/faults')).json()).toMatchObject({ skewMs: -100_000 });
  });

  it('rewinds to an earlier cut, from which mining goes on', async () => {
    const { node, control } = await startNode();
    await mineMany(node, 12);
    expect((await control('POST', '/rewind', { height: 2 })).json()).toEqual({ height: 6 });
    expect(Object.values(node.cut().heights)).toEqual([2, 2, 2]);
    await mineMany(node, 3);
    expect(node.cut().height).toBe(9);
    expect((await control('POST', '/rewind', { height: 50 })).status).toBe(400);
  });

  it('disables and enables mining', async () => {
    const { node, control } = await startNode();
    await control('PUT', '/faults', { miningEnabled: false });
    expect((await askWork(node)).status).toBe(404);
    await control('PUT', '/faults', { miningEnabled: true });
    expect((await askWork(node)).status).toBe(200);
  });

  it.each([
    ['PUT', '/faults', { nonsense: 1 }, 'nonsense'],
    ['PUT', '/faults', { delayMs: -1 }, 'delayMs'],
    ['PUT', '/faults', { stall: 'yes' }, 'stall'],
    ['PUT', '/clock', {}, 'skewMs'],
    ['POST', '/rewind', { height: 'x' }, 'height'],
    ['PUT', '/links', { connected: 1 }, 'connected'],
    ['PUT', '/links', { connected: true, url: 'http://nowhere' }, 'nowhere'],
  ] as const)('%s %s %j is refused naming %s', async (method, path, body, named) => {
    const { control } = await startNode();
    const answer = await control(method, path, body);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).toContain(named);
  });
});
