/** Interface section 8, and the statuses of section 7: what is malformed is a 4xx that names the parameter. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DevNode } from '../../src/devnode/server.js';
import { type Answer, ask, startEasyNode } from './helpers.js';

const NOWHERE = 'A'.repeat(43);

let node: DevNode;
beforeAll(async () => {
  node = await startEasyNode({ graph: 'triangle' });
});
afterAll(() => node.close());

const get = (path: string): Promise<Answer> => ask(`${node.url}${path}`);
const post = (path: string, json: unknown): Promise<Answer> =>
  ask(`${node.url}${path}`, { method: 'POST', json });

describe('8 limits: what is malformed is 400 and named', () => {
  it.each([
    ['/chain/x/hash', 'chain'],
    ['/chain/20/hash', 'chain'],
    ['/chain/-1/hash', 'chain'],
    ['/chain/0/hash?limit=-1', 'limit'],
    ['/chain/0/hash?limit=99999999999999999999', 'limit'],
    ['/chain/0/hash?limit=1&limit=2', 'limit'],
    ['/chain/0/hash?minheight=one', 'minheight'],
    ['/chain/0/hash?maxheight=1.5', 'maxheight'],
    ['/chain/0/hash?next=AAAA', 'next'],
    ['/chain/0/hash?next=inclusive:AAAA', 'next'],
    ['/chain/0/header/AAAA', 'blockHash'],
    [`/chain/0/header/${'!'.repeat(43)}`, 'blockHash'],
    ['/chain/0/payload/AAAA', 'payloadHash'],
    [`/chain/0/payload/${NOWHERE}?height=x`, 'height'],
  ])('GET %s', async (path, named) => {
    const answer = await get(path);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(named)]);
  });

  it.each([
    ['/chain/0/hash/branch', { upper: 'x' }, 'upper'],
    ['/chain/0/hash/branch', { upper: [1] }, 'upper[0]'],
    ['/chain/0/hash/branch', { lower: ['short'] }, 'lower[0]'],
    ['/chain/0/hash/branch', [], 'body'],
    ['/chain/0/payload/batch', { hashes: 1 }, 'hashes'],
    ['/chain/0/payload/batch', { hashes: ['x'] }, 'hashes[0]'],
    ['/chain/0/payload/batch', { heights: [-1] }, 'heights'],
    ['/chain/0/payload/outputs/batch', { hashes: [] }, 'heights'],
    ['/chain/0/payload/outputs/batch', { heights: [] }, 'hashes'],
  ])('POST %s %j', async (path, body, named) => {
    const answer = await post(path, body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(named)]);
  });

  it('a chain from 0 to 19 that the network does not have is 404', async () => {
    expect((await get('/chain/3/hash')).status).toBe(404);
  });

  it('broken JSON is 400, another content type 415, another method 405', async () => {
    const url = `${node.url}/chain/0/hash/branch`;
    const headers = { 'content-type': 'application/json' };
    expect((await ask(url, { method: 'POST', body: '{', headers })).status).toBe(400);
    expect((await ask(url, { method: 'POST', body: '{}' })).status).toBe(415);
    const wrong = await ask(url);
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'POST']);
  });
});
