import { afterEach, describe, expect, it } from 'vitest';
import { viewOf } from '../../src/core/bytes.js';
import { difficultyOf, integerOfTarget, targetFromBytes } from '../../src/core/target.js';
import { decodeWork } from '../../src/core/work.js';
import { type DevNodeOptions, startDevNode } from '../../src/devnode/server.js';
import {
  ask,
  askWork,
  chainBytes,
  mineMany,
  mineOne,
  openStream,
  postSolved,
  solve,
  testNodes,
} from './helpers.js';

const { easyNode, cleanUp } = testNodes();

interface EpochHeader {
  readonly target: string;
  readonly creationTime: number;
  readonly epochStart: number;
}
const MOST = (1n << 256n) - 1n;
afterEach(cleanUp);

describe('1 every answer', () => {
  it('carries the three headers, whatever its status', async () => {
    const node = await easyNode();
    const answers = await Promise.all([
      ask(`${node.url}/info`),
      ask(`${node.rootUrl}/health-check`),
      ask(`${node.rootUrl}/nowhere`),
      ask(`${node.url}/info`, { method: 'DELETE' }),
      ask(`${node.url}/mining/solved`, { method: 'POST', body: Buffer.alloc(3) }),
      ask(`${node.url}/mining/solved`, { method: 'POST', body: Buffer.alloc(3 * 1024 * 1024) }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 405, 400, 413]);
    for (const { headers } of answers) {
      expect(headers['x-peer-addr']).toMatch(/^127\.0\.0\.1:\d+$/);
      expect(Math.abs(Number(headers['x-server-timestamp']) - Date.now() / 1000)).toBeLessThan(5);
      expect(headers['x-ledger-node-version']).toBe('0.1.0');
    }
  });

  it('says at both addresses what network it is', async () => {
    const node = await easyNode();
    for (const url of [node.url, node.rootUrl]) {
      const info = (await ask(`${url}/info`)).json<Record<string, unknown>>();
      expect(info).toMatchObject({
        nodeNumberOfChains: 10,
        nodeVersion: 'development',
        nodeApiVersion: '0.0',
      });
      expect((await ask(`${url}/health-check`)).text).toBe('Health check OK.');
    }
    expect(node.url).toBe(`${node.rootUrl}/chainweb/0.0/development`);
  });
});

describe('4.6 GET /mining/work', () => {
  it('hands out 322 bytes: the hinted chain, nonce 0, the current time', async () => {
    const node = await easyNode();
    const answer = await askWork(node, 7);
    expect(answer.headers['content-type']).toBe('application/octet-stream');
    const work = decodeWork(answer.bytes);
    expect(work.chainId).toBe(7);
    expect(work.fields).toMatchObject({ height: 1, nonce: 0n, flags: 0n, versionCode: 2 });
    expect(work.fields.adjacents.map(({ chainId }) => chainId)).toEqual([2, 6, 8]);
    expect(Math.abs(Number(work.fields.creationTime / 1000n) - Date.now())).toBeLessThan(5000);
  });

  it('gives the same payload and a later time for the same parent and miner', async () => {
    const node = await easyNode();
    const [first, second] = [
      decodeWork((await askWork(node, 3)).bytes),
      decodeWork((await askWork(node, 3)).bytes),
    ];
    expect(second.fields.payloadHash).toEqual(first.fields.payloadHash);
    expect(second.fields.creationTime).toBeGreaterThan(first.fields.creationTime);
  });

  it('takes the chain as a hint only: a blocked chain gives another', async () => {
    const node = await easyNode();
    await mineOne(node, 0);
    expect(node.cut().heights[0]).toBe(1);
    expect(decodeWork((await askWork(node, 0)).bytes).chainId).not.toBe(0);
    expect(decodeWork((await askWork(node, 99)).bytes).chainId).toBeLessThan(10);
  });

  it.each([
    [{ account: 'a', predicate: 'keys-all' }, 400, 'public-keys'],
    [{ account: '', predicate: 'keys-all', 'public-keys': [] }, 400, 'account'],
    [{ account: 'a', predicate: 'keys-none', 'public-keys': [] }, 400, 'predicate'],
    [['a'], 400, 'JSON object'],
  ])('answers %j with %d naming %s', async (miner, status, named) => {
    const answer = await askWork(await easyNode(), undefined, miner);
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(named)]);
  });

  it('wants JSON: another content type is 415, broken JSON 400, a chain that is no number 400', async () => {
    const { url } = await easyNode();
    const work = `${url}/mining/work`;
    expect((await ask(work, { body: '{}', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await ask(work)).status).toBe(415);
    expect((await ask(work, { body: '{', headers: { 'content-type': 'application/json' } })).status).toBe(
      400,
    );
    const answer = await ask(`${work}?chain=x`, {
      json: { account: 'a', predicate: 'keys-all', 'public-keys': [] },
    });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('chain')]);
  });

  it('is for authorised miners only, where there are any', async () => {
    const alice = { account: 'alice', predicate: 'keys-all', 'public-keys': ['a1'] };
    const node = await easyNode({ miners: [alice] });
    expect((await askWork(node, 0, alice)).status).toBe(200);
    const answer = await askWork(node, 0, { ...alice, 'public-keys': ['b2'] });
    expect([answer.status, answer.text]).toEqual([403, 'Unauthorized Miner: alice']);
  });

  it('refuses more payloads than the limit', async () => {
    const node = await easyNode({ miningLimit: 3 });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) {
      const miner = { account: `m${i}`, predicate: 'keys-all', 'public-keys': [] };
      statuses.push((await askWork(node, 0, miner)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 503, 503]);
  });

  it('is not there when mining is off', async () => {
    const node = await easyNode({ miningEnabled: false });
    expect((await askWork(node)).status).toBe(404);
  });
});

describe('4.6 POST /mining/solved', () => {
  it('takes a solution once: 204, then the payload is gone', async () => {
    const node = await easyNode();
    const solved = await mineOne(node, 4);
    expect(node.cut().heights[4]).toBe(1);
    const again = await postSolved(node, solved);
    expect([again.status, again.text]).toEqual([404, 'No associated Payload']);
  });

  it('refuses a wrong length, and a nonce that misses the target, which burns the payload', async () => {
    const node = await easyNode({ genesisDifficulty: 64 });
    const short = await postSolved(node, new Uint8Array(285));
    expect([short.status, short.text]).toEqual([400, expect.stringContaining('285')]);
    const header = (await askWork(node, 1)).bytes.subarray(36);
    const missed = await postSolved(node, solve(header, { misses: true }));
    expect([missed.status, missed.text]).toEqual([400, 'Invalid solved work: Invalid POW hash']);
    expect((await postSolved(node, solve(header))).status).toBe(404);
    expect(node.cut().height).toBe(0);
  });

  it.each([
    ['the parent’s own time', 'not above', (parent: bigint) => parent],
    ['a time in the future', 'in the future', () => BigInt(Date.now() + 60_000) * 1000n],
  ])('does not take a block with %s', async (_name, reason, timeFrom) => {
    const node = await easyNode();
    const parent = await mineOne(node, 2);
    for (const chain of [0, 4, 7]) await mineOne(node, chain);
    const header = Uint8Array.from((await askWork(node, 2)).bytes.subarray(36));
    const parentTime = viewOf(parent).getBigInt64(8, true);
    viewOf(header).setBigInt64(8, timeFrom(parentTime), true);
    const answer = await postSolved(node, solve(header));
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(reason)]);
    expect(node.cut().heights[2]).toBe(1);
  });

  it('does not take a block whose time is above its parent’s but not above an adjacent parent’s', async () => {
    const node = await easyNode();
    const parent = await mineOne(node, 2);
    for (const chain of [0, 4, 7]) await mineOne(node, chain);
    const header = Uint8Array.from((await askWork(node, 2)).bytes.subarray(36));
    viewOf(header).setBigInt64(8, viewOf(parent).getBigInt64(8, true) + 1n, true);
    const answer = await postSolved(node, solve(header));
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringMatching(/not above .* on chain [047]$/),
    ]);
  });

  it.each([0, 16, 60, 158, 222, 226, 258, 266, 270])(
    'does not take a block whose byte %d was changed',
    async (offset) => {
      const node = await easyNode();
      const header = Uint8Array.from((await askWork(node, 5)).bytes.subarray(36));
      header[offset] = (header[offset] ?? 0) ^ 1;
      const answer = await postSolved(node, solve(header));
      expect(answer.status).toBe(400);
      expect(node.cut().height).toBe(0);
    },
  );

  it('takes a stale solution with 204 and keeps it as an orphan', async () => {
    const node = await easyNode();
    const other = { account: 'other', predicate: 'keys-all', 'public-keys': [] };
    const late = (await askWork(node, 6, other)).bytes.subarray(36);
    await mineOne(node, 6);
    const head = node.cut().hashes[6];
    expect((await postSolved(node, solve(late))).status).toBe(204);
    expect(node.cut().hashes[6]).toBe(head);
  });
});

describe('4.6 GET /mining/updates', () => {
  it('says New Cut without data for the chain in the body, and only for it', async () => {
    const node = await easyNode();
    const mine = await openStream(`${node.url}/mining/updates`, chainBytes(3));
    const distant = await openStream(`${node.url}/mining/updates`, chainBytes(4));
    expect(mine.headers['content-type']).toBe('text/event-stream');
    expect(mine.headers['x-peer-addr']).toBeDefined();
    await mineOne(node, 3);
    expect(await mine.until((text) => text.length > 0)).toBe('event:New Cut\n\n');
    expect(distant.text()).toBe('');
    mine.close();
    distant.close();
  });

  it('says New Cut again when a blocked chain opens', async () => {
    const node = await easyNode();
    const stream = await openStream(`${node.url}/mining/updates`, chainBytes(0));
    for (const chain of [0, 2, 3, 5]) await mineOne(node, chain);
    expect(await stream.until((text) => text.length >= 30)).toBe('event:New Cut\n\nevent:New Cut\n\n');
    stream.close();
  });

  it('is ended by the node', async () => {
    const node = await easyNode({ updateStreamLifetimeMs: 60 });
    const stream = await openStream(`${node.url}/mining/updates`, chainBytes(0));
    await stream.ended;
    expect(stream.text()).toBe('');
  });

  it('wants four bytes that name a chain', async () => {
    const { url } = await easyNode();
    const short = await ask(`${url}/mining/updates`, { body: Buffer.alloc(3) });
    expect([short.status, short.text]).toEqual([400, expect.stringContaining('4 chain bytes')]);
    const nowhere = await ask(`${url}/mining/updates`, { body: chainBytes(10) });
    expect([nowhere.status, nowhere.text]).toEqual([400, expect.stringContaining('chain 10')]);
  });
});

describe('4.8 and 6 GET /header/updates', () => {
  it('tells each block with its proof-of-work hash and target in hexadecimal', async () => {
    const node = await easyNode();
    const stream = await openStream(`${node.url}/header/updates`);
    await mineOne(node, 8);
    const [name, data] = (await stream.until((text) => text.endsWith('\n\n'))).split('\n');
    expect(name).toBe('event:BlockHeader');
    const event = JSON.parse((data ?? '').replace(/^data:/, '')) as Record<string, unknown>;
    expect(event).toMatchObject({
      txCount: 0,
      powHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      target: expect.stringMatching(/^[0-9a-f]{64}$/),
      header: { chainId: 8, height: 1, hash: node.cut().hashes[8], ledgerVersion: 'development' },
    });
    expect(String(event['powHash']) <= String(event['target'])).toBe(true);
    stream.close();
  });
});

describe('consensus', () => {
  it('keeps adjacent heads within one block of each other', async () => {
    const node = await easyNode();
    await mineMany(node, 200);
    const heights = Object.values(node.cut().heights);
    expect(heights.reduce((sum, height) => sum + height)).toBe(200);
    // Petersen's diameter is 2.
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThanOrEqual(2);
  });

  it('makes blocks harder when they come too fast, never by more than a bound that was asked for', async () => {
    const node = await easyNode({ blockDelayMs: 10_000, genesisDifficulty: 2, greatestRaise: 16 });
    const first = decodeWork((await askWork(node)).bytes).blockTarget;
    while (Math.max(...Object.values(node.cut().heights)) < 5) await mineOne(node);
    const later = decodeWork((await askWork(node)).bytes).blockTarget;
    const factor =
      Number(Buffer.from(first).readBigUInt64LE(24)) / Number(Buffer.from(later).readBigUInt64LE(24));
    expect(factor).toBeGreaterThan(8);
    expect(factor).toBeLessThan(17);
  });

  it('follows the exact rule by default: the mean of four scaled targets, however large the step', async () => {
    const node = await easyNode({ blockDelayMs: 100, difficultyWindow: 4, genesisDifficulty: 4 });
    while (Object.values(node.cut().heights).some((height) => height < 4)) await mineOne(node);
    const object = { headers: { accept: 'application/json;blockheader-encoding=object' } };
    const headersOf = async (chain: number): Promise<EpochHeader[]> =>
      (await ask(`${node.url}/chain/${chain}/header`, object)).json<{ items: EpochHeader[] }>().items;
    const chains = await Promise.all([0, 2, 3, 5].map(headersOf));
    const target = (one: EpochHeader | undefined): bigint =>
      integerOfTarget(targetFromBytes(Buffer.from(one?.target ?? '', 'base64url')));
    // Chain 0 is braided with 2, 3 and 5; the fourth header of an epoch is that of height 3.
    const scaled = chains.map((headers) => {
      const last = headers[3];
      const micros = BigInt((last?.creationTime ?? 0) - (last?.epochStart ?? 0));
      const value = (micros * target(last) + 399_999n) / 400_000n;
      return value < MOST ? value : MOST;
    });
    expect(target(chains[0]?.[4])).toBe(scaled.reduce((sum, one) => sum + one) / 4n);
    expect(chains[0]?.[4]?.epochStart).toBe(chains[0]?.[3]?.creationTime);
  });

  it('mainnet01 by its name has ten chains, later twenty, and is mined from the real genesis blocks', async () => {
    const node = await easyNode({
      network: 'mainnet01',
      blockDelayMs: undefined,
      genesisDifficulty: undefined,
    });
    const info = (await ask(`${node.url}/info`)).json<{ nodeGraphHistory: [number, unknown][] }>();
    expect(info).toMatchObject({
      nodeNumberOfChains: 10,
      nodeVersion: 'mainnet01',
      nodeBlockDelay: 30_000_000,
    });
    expect(info.nodeGraphHistory.map(([height]) => height)).toEqual([852_054, 0]);
    await mineOne(node, 0);
    expect(node.cut().heights[0]).toBe(1);
    // What its genesis payload holds is not here.
    const { items } = (await ask(`${node.url}/chain/0/block`)).json<{
      items: { payloadWithOutputs: unknown }[];
    }>();
    expect(items.map(({ payloadWithOutputs }) => payloadWithOutputs === null)).toEqual([true, false]);
  });

  it('a client that lies about times makes blocks harder, step by step, and breaks nothing', async () => {
    const node = await easyNode({
      graph: 'singleton',
      blockDelayMs: 10_000,
      genesisDifficulty: 1,
      greatestRaise: 16,
    });
    const difficulties: bigint[] = [];
    let time = 0n;
    for (let i = 0; i < 17; i++) {
      const header = Uint8Array.from((await askWork(node)).bytes.subarray(36));
      time = time === 0n ? viewOf(header).getBigInt64(8, true) : time + 1n;
      viewOf(header).setBigInt64(8, time, true);
      difficulties.push(difficultyOf(targetFromBytes(header.subarray(-128, -96))));
      expect((await postSolved(node, solve(header))).status).toBe(204);
    }
    // One step of at most sixteen after heights 3, 7, 11 and 15.
    const steps = [1, 1, 1, 16, 16, 16, 16, 256, 256, 256, 256, 4096, 4096, 4096, 4096, 65536, 65536];
    expect(difficulties).toEqual(steps.map(BigInt));
    expect(node.cut().heights).toEqual({ 0: 17 });
  });

  it('has one chain with headers of 178 bytes on test-singleton', async () => {
    const node = await easyNode({ network: 'test-singleton', graph: 'network' });
    const work = await askWork(node);
    expect(work.bytes).toHaveLength(4 + 32 + 178);
    await mineMany(node, 5);
    expect(node.cut().heights).toEqual({ 0: 5 });
  });
});

describe('settings', () => {
  it.each([
    [{ network: 'nowhere' }, 'network'],
    [{ listen: { host: '127.0.0.1', port: 70_000 } }, 'listen.port'],
    [{ graph: 'cube' }, 'graph'],
    [{ graphHistory: [[5, 'pair']] }, 'graph history'],
    [{ profile: 'real' }, 'profile'],
    [{ peers: ['nowhere'] }, 'peers'],
    [{ difficultyWindow: 2 }, 'difficultyWindow'],
    [{ blockDelayMs: 0 }, 'blockDelayMs'],
    [{ genesisDifficulty: 0.5 }, 'genesisDifficulty'],
    [{ greatestRaise: 1 }, 'greatestRaise'],
    [{ miningLimit: 0 }, 'miningLimit'],
  ])('%j is refused naming %s', async (options, named) => {
    await expect(startDevNode(options as DevNodeOptions)).rejects.toThrow(named);
  });
});
