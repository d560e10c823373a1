/** Interface 4.5 and 3 against the process: transactions wait, get into the next block of their chain, and leave. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ask, askWork, chainBytes, mineOne, postSolved, solve } from '../devnode/helpers.js';
import { type NodeHere, startEasyHere } from '../devnode/process.js';
import { newTransaction } from '../helpers/books/transactions.js';
import { askerOf, NOWHERE } from './asker.js';
import { rawStream } from './raw.js';

interface Pending {
  hashes: string[];
  highwaterMark: [nonce: number, last: number];
}

/** Twenty chains: each test has one of its own. */
let node: NodeHere;
beforeAll(async () => {
  node = await startEasyHere('--graph', 'twenty', '--payload-refresh', '50ms');
});
afterAll(() => node[Symbol.asyncDispose]());

const { head, get } = askerOf(() => node.url);
const pool = (chain: number, path: string, json?: unknown): Promise<Answer> =>
  ask(`${node.url}/chain/${chain}/mempool/${path}`, {
    method: path === 'insert' ? 'PUT' : 'POST',
    ...(json === undefined ? {} : { json }),
  });
const pendingOf = async (chain: number, query = ''): Promise<Pending> =>
  (await pool(chain, `getPending${query}`)).json();

describe('4.5 mempool', () => {
  it('4.5: insert is 200; the transaction is known on its chain only', async () => {
    const { text, key } = newTransaction('1');
    expect((await pool(0, 'insert', [text])).status).toBe(200);
    expect((await pool(0, 'member', [key])).json()).toEqual([true]);
    expect((await pool(1, 'member', [key])).json()).toEqual([false]);
  });

  it('4.5: member answers booleans in the order of the body, as many as asked for', async () => {
    const { text, key } = newTransaction('2');
    await pool(2, 'insert', [text]);
    const asked = [NOWHERE, key, NOWHERE, key, key];
    expect((await pool(2, 'member', asked)).json()).toEqual(asked.map((one) => one === key));
    expect((await pool(2, 'member', [])).json()).toEqual([]);
  });

  it('2, 3 and 4.5: lookup says Pending with the text, or Missing, in the order of the body', async () => {
    const { text, key } = newTransaction('3');
    await pool(3, 'insert', [text]);
    expect((await pool(3, 'lookup', [NOWHERE, key, NOWHERE])).json()).toEqual([
      { tag: 'Missing' },
      { tag: 'Pending', contents: text },
      { tag: 'Missing' },
    ]);
    expect((await pool(3, 'lookup', [])).json()).toEqual([]);
  });

  it('4.5: getPending gives request keys and a mark of two integers, the nonce from 0 on', async () => {
    const keys = [newTransaction('4'), newTransaction('5')];
    await pool(
      4,
      'insert',
      keys.map(({ text }) => text),
    );
    const { hashes, highwaterMark } = await pendingOf(4);
    expect(hashes).toEqual(keys.map(({ key }) => key));
    for (const hash of hashes) expect(hash).toMatch(/^[a-zA-Z0-9_-]{43}$/);
    expect(highwaterMark.map(Number.isSafeInteger)).toEqual([true, true]);
    expect(highwaterMark[0]).toBeGreaterThanOrEqual(0);
  });

  it('4.5: getPending goes on after the mark of the same pool, and begins anew for another nonce', async () => {
    const [first, second] = [newTransaction('6'), newTransaction('7')];
    await pool(5, 'insert', [first.text]);
    const [nonce, last] = (await pendingOf(5)).highwaterMark;
    await pool(5, 'insert', [second.text]);
    expect((await pendingOf(5, `?nonce=${nonce}&since=${last}`)).hashes).toEqual([second.key]);
    const foreign = await pendingOf(5, '?nonce=-4683248684880063035&since=436');
    expect(foreign.hashes).toEqual([first.key, second.key]);
  });

  it('4.5 and 3: a transaction gets into the next block of its chain with an output, and leaves', async () => {
    const { text, key } = newTransaction('8');
    await pool(6, 'insert', [text]);
    await mineOne(node, 6);
    expect((await pool(6, 'lookup', [key])).json()).toEqual([{ tag: 'Missing' }]);
    const { payloadHash } = await head(6);
    const { transactions } = (await get(`/chain/6/payload/${payloadHash}/outputs`)).json<{
      transactions: [string, string][];
    }>();
    const [included = '', output = ''] = transactions[0] ?? [];
    expect(Buffer.from(included, 'base64url').toString()).toBe(text);
    expect(JSON.parse(Buffer.from(output, 'base64url').toString())).toMatchObject({ reqKey: key });
    // What is on the chain does not come back.
    await pool(6, 'insert', [text]);
    expect((await pendingOf(6)).hashes).toEqual([]);
  });

  it('4.6: new transactions refresh the work and are announced; the old work stays good', async () => {
    const old = (await askWork(node, 7)).bytes;
    using stream = await rawStream(`${node.url}/mining/updates`, { body: chainBytes(7) });
    await pool(7, 'insert', [newTransaction('9').text]);
    await stream.until('new work', (text) => text === 'event:New Cut\n\n');
    const fresh = (await askWork(node, 7)).bytes;
    const [payload, parent] = [
      [36 + 190, 36 + 222],
      [36 + 16, 36 + 48],
    ] as const;
    expect(fresh.subarray(...payload)).not.toEqual(old.subarray(...payload));
    expect(fresh.subarray(...parent)).toEqual(old.subarray(...parent));
    expect((await postSolved(node, solve(old.subarray(36)))).status).toBe(204);
  });

  it.each([
    [['no json'], 'transaction 0'],
    [[newTransaction('10').text, '{"cmd":1}'], 'transaction 1'],
    [[JSON.stringify({ cmd: 'x', hash: NOWHERE })], 'transaction 0'],
    [[7], 'transaction 0'],
    ['x', 'list'],
  ])('4.5: insert refuses %j with 400, all of it', async (body, named) => {
    const answer = await pool(8, 'insert', body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(named)]);
    expect((await pendingOf(8)).hashes).toEqual([]);
  });

  it.each([
    ['getPending?nonce=x', undefined, 'nonce'],
    ['getPending?since=99999999999999999999', undefined, 'since'],
    ['member', ['short'], 'request key 0'],
    ['lookup', [NOWHERE, 1], 'request key 1'],
    ['lookup', {}, 'list'],
  ])('4.5: %s with %j is 400 and says what is wrong', async (path, body, named) => {
    const answer = await pool(9, path, body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(named)]);
  });
});
