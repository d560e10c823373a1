/** Interface 4.6, 5 and 8 against the process: work, solutions, updates. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewOf } from '../../src/core/bytes/bytes.js';
import { meetsTarget } from '../../src/core/work/target.js';
import { decodeWork } from '../../src/core/work/work.js';
import {
  type Answer,
  ask,
  askWork,
  chainBytes,
  MINER,
  mineOne,
  postSolved,
  solve,
} from '../devnode/helpers.js';
import { type NodeHere, startEasyHere, startNodeHere } from '../devnode/process.js';
import { askerOf } from './asker.js';

/** Twenty chains: each test has some of its own, from their genesis blocks on. */
let node: NodeHere;
/** Blocks of 64 hashes. */
let hard: NodeHere;
beforeAll(async () => {
  [node, hard] = await Promise.all([
    startEasyHere('--graph', 'twenty'),
    startNodeHere('--mining', '--genesis-difficulty', '64'),
  ]);
});
afterAll(() => Promise.all([node, hard].map((one) => one[Symbol.asyncDispose]())));

const { head, get } = askerOf(() => node.url);
const headerOf = (work: Answer): Uint8Array => Uint8Array.from(work.bytes.subarray(36));
const work = (options: {
  json?: unknown;
  body?: string;
  headers?: Record<string, string>;
}): Promise<Answer> => ask(`${node.url}/mining/work`, options);

describe('4.6 GET /mining/work', () => {
  it('4.6 and 8: 200 is octet-stream: 4 chain bytes, 32 target bytes, 286 header bytes', async () => {
    const { headers, bytes, status } = await askWork(node, 3);
    expect([status, headers['content-type'], bytes.length]).toEqual([
      200,
      'application/octet-stream',
      4 + 32 + 286,
    ]);
    expect(bytes.readUInt32LE(0)).toBe(3);
    // The header repeats the target at 158 and the chain at 222.
    expect(bytes.subarray(36 + 158, 36 + 190)).toEqual(bytes.subarray(4, 36));
    expect(bytes.readUInt32LE(36 + 222)).toBe(3);
  });

  it('4.6: the nonce is the last 8 bytes; bytes 44 to 52 of the response are the creation time', async () => {
    const { bytes } = await askWork(node, 3);
    expect(bytes.subarray(-8)).toEqual(Buffer.alloc(8));
    const micros = bytes.readBigInt64LE(44);
    expect(Math.abs(Number(micros / 1000n) - Date.now())).toBeLessThan(60_000);
    expect(decodeWork(bytes).fields.creationTime).toBe(micros);
  });

  it('4.6: the header extends the chain, and its payload credits the miner named', async () => {
    const account = { account: 'k:someone', predicate: 'keys-any', 'public-keys': ['aa', 'bb'] };
    const solved = await mineOne(node, 3, account);
    const block = await head(3);
    expect([block.height, block.nonce]).toEqual([1, String(viewOf(solved).getBigUint64(278, true))]);
    const { minerData, coinbase } = (await get(`/chain/3/payload/${block.payloadHash}/outputs`)).json<{
      minerData: string;
      coinbase: string;
    }>();
    expect(JSON.parse(Buffer.from(minerData, 'base64url').toString())).toEqual(account);
    expect(Buffer.from(coinbase, 'base64url').toString()).toContain('k:someone');
  });

  it.each(['keys-all', 'keys-any', 'keys-2'])('2: the predicate %s is one of three', async (predicate) => {
    expect((await work({ json: { ...MINER, predicate } })).status).toBe(200);
  });

  it.each([
    [{ account: 'a', predicate: 'keys-all' }, 'public-keys'],
    [{ account: '', predicate: 'keys-all', 'public-keys': ['aa'] }, 'account'],
    [{ account: 'a', predicate: 'keys-none', 'public-keys': ['aa'] }, 'predicate'],
    [{ account: 'a', predicate: 'keys-all', 'public-keys': [1] }, 'public-keys'],
    [['a'], 'JSON object'],
  ])('4.6: %j is 400 and names %s', async (miner, named) => {
    const answer = await work({ json: miner });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(named)]);
  });

  it('4.6: no JSON is 400, another content type 415, a chain that is no number 400', async () => {
    const json = { 'content-type': 'application/json' };
    expect((await work({ body: '{', headers: json })).status).toBe(400);
    for (const headers of [{ 'content-type': 'text/plain' }, {}]) {
      expect((await work({ body: '{}', headers })).status).toBe(415);
    }
    const answer = await ask(`${node.url}/mining/work?chain=x`, { json: MINER });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('chain')]);
  });

  it('4.6: authorised miners only, where there are any: 403', async () => {
    const key = 'ab'.repeat(32);
    const alice = { account: `k:${key}`, predicate: 'keys-all', 'public-keys': [key] };
    await using strict = await startEasyHere('--miners', key);
    expect((await askWork(strict, 0, alice)).status).toBe(200);
    const answer = await askWork(strict, 0, { ...alice, 'public-keys': ['cd'] });
    expect([answer.status, answer.text]).toEqual([403, `Unauthorized Miner: k:${key}`]);
  });

  it('4.6: more payloads than the limit are 503', async () => {
    await using small = await startEasyHere('--mining-limit', '3');
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) {
      statuses.push((await askWork(small, 0, { ...MINER, account: `m${i}` })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 503, 503]);
  });
});

describe('4.6 POST /mining/solved', () => {
  it('4.6 and 7: 204 without a body; the block is the head of its chain; the payload is forgotten', async () => {
    const solved = solve(headerOf(await askWork(node, 4)));
    const answer = await postSolved(node, solved);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await head(4)).height).toBe(1);
    const again = await postSolved(node, solved);
    expect([again.status, again.text]).toEqual([404, 'No associated Payload']);
  });

  it('8: the proof-of-work hash must not exceed the target, as unsigned little-endian integers', async () => {
    const header = headerOf(await askWork(hard, 1));
    const missed = solve(header, { misses: true });
    const answer = await postSolved(hard, missed);
    expect([answer.status, answer.text]).toEqual([400, 'Invalid solved work: Invalid POW hash']);
    const { blockTarget } = decodeWork((await askWork(hard, 1)).bytes);
    expect(meetsTarget(Uint8Array.from(Buffer.alloc(32, 0xff)), blockTarget)).toBe(false);
    expect((await postSolved(hard, solve(headerOf(await askWork(hard, 1))))).status).toBe(204);
  });

  it.each([0, 285, 287])('8: %d bytes are 400', async (length) => {
    const answer = await postSolved(node, new Uint8Array(length));
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(String(length))]);
  });

  it('4.6: the creation time may be updated: above the parent’s and not in the future', async () => {
    const header = headerOf(await askWork(node, 5));
    viewOf(header).setBigInt64(8, viewOf(header).getBigInt64(8, true) - 1n, true);
    expect((await postSolved(node, solve(header))).status).toBe(204);
    expect((await head(5)).creationTime).toBe(Number(viewOf(header).getBigInt64(8, true)));
  });

  it.each([
    ['in the future', 'in the future', () => BigInt(Date.now() + 600_000) * 1000n],
    // The genesis block of the development network is of 2019.
    ['that of the parent', 'not above', () => 1_563_388_117_613_832n],
    ['negative', 'Decoding error|not above', () => -1n],
  ])('8: a creation time %s is 400', async (_name, reason, timeFrom) => {
    const header = headerOf(await askWork(node, 6));
    viewOf(header).setBigInt64(8, timeFrom(), true);
    const answer = await postSolved(node, solve(header));
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(new RegExp(reason))]);
    expect((await head(6)).height).toBe(0);
  });

  it('4.6: a creation time below an adjacent parent’s is 400, as by the rules of consensus', async () => {
    // 7 is braided with 2, 5 and 9 on this graph.
    const parent = await mineOne(node, 7);
    for (const chain of [2, 5, 9]) if ((await head(chain)).height === 0) await mineOne(node, chain);
    const header = headerOf(await askWork(node, 7));
    viewOf(header).setBigInt64(8, viewOf(parent).getBigInt64(8, true) + 1n, true);
    const answer = await postSolved(node, solve(header));
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringMatching(/not above .* on chain [259]$/),
    ]);
  });

  it.each([
    [0, 'featureFlags'],
    [16, 'parent'],
    [60, 'an adjacent'],
    [158, 'target'],
    [190, 'payload hash'],
    [222, 'chain'],
    [226, 'weight'],
    [258, 'height'],
    [266, 'version'],
    [270, 'epoch start'],
  ])('4.6: miners must not change other bytes: byte %d, %s', async (offset) => {
    const header = headerOf(await askWork(node, 11));
    header[offset] = (header[offset] ?? 0) ^ 1;
    const answer = await postSolved(node, solve(header));
    expect([400, 404]).toContain(answer.status);
    expect((await head(11)).height).toBe(0);
  });

  it('4.6: a solution whose parent is no longer the head is 204, and an orphan', async () => {
    const late = solve(headerOf(await askWork(node, 12, { ...MINER, account: 'late' })));
    await mineOne(node, 12);
    const before = (await get('/cut')).text;
    expect((await postSolved(node, late)).status).toBe(204);
    expect((await get('/cut')).text).toBe(before);
  });

  it('4.6: a payload is forgotten some time after it was last handed out', async () => {
    await using short = await startEasyHere('--payload-lifetime', '300ms');
    const header = headerOf(await askWork(short, 0));
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect((await postSolved(short, solve(header))).text).toBe('No associated Payload');
  });
});

describe('4.6 GET /mining/updates', () => {
  it.each([
    [Buffer.alloc(3), '4 chain bytes'],
    [Buffer.alloc(5), '4 chain bytes'],
    [chainBytes(20), 'chain 20'],
  ])('4.6: the body must be the four bytes of a chain', async (body, named) => {
    const answer = await ask(`${node.url}/mining/updates`, { body });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(named)]);
  });
});
