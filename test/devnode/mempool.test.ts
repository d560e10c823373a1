/** Interface 4.5 and 3: transactions wait, get into the next block of their chain with an output, and leave. */
import { blake2b } from '@noble/hashes/blake2.js';
import { afterEach, describe, expect, it } from 'vitest';
import { toBase64Url } from '../../src/core/bytes.js';
import type { DevNode } from '../../src/devnode/server.js';
import {
  type Answer,
  ask,
  askWork,
  chainBytes,
  mineOne,
  openStream,
  postSolved,
  solve,
  testNodes,
} from './helpers.js';

const nodes = testNodes();
afterEach(nodes.cleanUp);
const easyNode = (): Promise<DevNode> => nodes.easyNode({ graph: 'pair', payloadRefreshMs: 1 });

const MISSING = 'A'.repeat(43);

/** A transaction and its request key. */
function transaction(nonce: string): { text: string; key: string } {
  const cmd = JSON.stringify({ nonce, payload: { exec: { code: '(+ 1 2)', data: {} } } });
  const key = toBase64Url(blake2b(new TextEncoder().encode(cmd), { dkLen: 32 }));
  return { text: JSON.stringify({ hash: key, sigs: [{ sig: 'ab' }], cmd }), key };
}

const pool = (node: DevNode, path: string, json?: unknown, chain = 0): Promise<Answer> =>
  ask(`${node.url}/chain/${chain}/mempool/${path}`, {
    method: path === 'insert' ? 'PUT' : 'POST',
    ...(json === undefined ? {} : { json }),
  });

interface PendingBody {
  hashes: string[];
  highwaterMark: [number, number];
}

describe('4.5 mempool', () => {
  it('insert, member, lookup and getPending know a transaction on its chain only', async () => {
    const node = await easyNode();
    const { text, key } = transaction('1');
    expect((await pool(node, 'insert', [text])).status).toBe(200);
    expect((await pool(node, 'member', [key, MISSING])).json()).toEqual([true, false]);
    expect((await pool(node, 'lookup', [MISSING, key])).json()).toEqual([
      { tag: 'Missing' },
      { tag: 'Pending', contents: text },
    ]);
    expect((await pool(node, 'getPending')).json<PendingBody>().hashes).toEqual([key]);
    expect((await pool(node, 'member', [key], 1)).json()).toEqual([false]);
  });

  it('getPending goes on after the high-water mark of the same pool', async () => {
    const node = await easyNode();
    const [first, second] = [transaction('1'), transaction('2')];
    await pool(node, 'insert', [first.text]);
    const [nonce, mark] = (await pool(node, 'getPending')).json<PendingBody>().highwaterMark;
    await pool(node, 'insert', [second.text]);
    const after = (await pool(node, `getPending?nonce=${nonce}&since=${mark}`)).json<PendingBody>();
    expect(after.hashes).toEqual([second.key]);
    const foreign = (await pool(node, 'getPending?nonce=-4683248684880063035&since=436')).json<PendingBody>();
    expect(foreign.hashes).toEqual([first.key, second.key]);
  });

  it('a transaction gets into the next block of its chain with an output, and leaves', async () => {
    const node = await easyNode();
    const { text, key } = transaction('1');
    await pool(node, 'insert', [text]);
    await mineOne(node, 0);
    expect((await pool(node, 'member', [key])).json()).toEqual([false]);
    const header = (
      await ask(`${node.url}/chain/0/header/${node.cut().hashes[0]}`, {
        headers: { accept: 'application/json;blockheader-encoding=object' },
      })
    ).json<{ payloadHash: string }>();
    const payload = (await ask(`${node.url}/chain/0/payload/${header.payloadHash}/outputs`)).json<{
      transactions: [string, string][];
    }>();
    const [included, output] = payload.transactions[0] ?? [];
    expect(Buffer.from(included ?? '', 'base64url').toString()).toBe(text);
    expect(JSON.parse(Buffer.from(output ?? '', 'base64url').toString())).toMatchObject({ reqKey: key });
    // A transaction that is on the chain does not come back.
    await pool(node, 'insert', [text]);
    expect((await pool(node, 'getPending')).json<PendingBody>().hashes).toEqual([]);
  });

  it('4.6: new transactions refresh the work and are announced; the old work stays good', async () => {
    const node = await easyNode();
    const old = (await askWork(node, 0)).bytes;
    const stream = await openStream(`${node.url}/mining/updates`, chainBytes(0));
    await pool(node, 'insert', [transaction('1').text]);
    await stream.until((text) => text.includes('event:New Cut'));
    stream.close();
    const fresh = (await askWork(node, 0)).bytes;
    const payloadOf = (work: Buffer): string => work.subarray(-96 - 32 + 32, -64).toString('hex');
    expect(payloadOf(fresh)).not.toBe(payloadOf(old));
    expect(fresh.subarray(36 + 16, 36 + 48)).toEqual(old.subarray(36 + 16, 36 + 48));
    expect((await postSolved(node, solve(old.subarray(36)))).status).toBe(204);
  });

  it.each([
    [['no json'], 'transaction 0'],
    [[transaction('1').text, '{"cmd":1}'], 'transaction 1'],
    [[JSON.stringify({ cmd: 'x', hash: MISSING })], 'transaction 0'],
    [[7], 'transaction 0'],
    ['x', 'list'],
  ])('insert refuses %j, all of it', async (body, named) => {
    const node = await easyNode();
    const answer = await pool(node, 'insert', body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(named)]);
    expect((await pool(node, 'getPending')).json<PendingBody>().hashes).toEqual([]);
  });

  it.each(['getPending?nonce=x', 'getPending?since=99999999999999999999', 'member', 'lookup'])(
    '%s with a bad parameter or body is 400 or 415',
    async (path) => {
      const node = await easyNode();
      const answer = await pool(node, path, path.startsWith('get') ? undefined : ['short']);
      expect(answer.status).toBe(400);
    },
  );
});
