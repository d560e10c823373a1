/** Profile chainweb against the process: part B of the protocol notes, a line for each statement that can be seen. */
import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewOf } from '../../../src/core/bytes/bytes.js';
import { decodeWork } from '../../../src/core/work/work.js';
import {
  type Answer,
  ask,
  askWork,
  chainBytes,
  MINER,
  mineOne,
  postSolved,
  solve,
} from '../../devnode/helpers.js';
import { type NodeHere, startEasyHere, startNodeHere } from '../../devnode/process.js';
import { newTransaction } from '../../helpers/books/transactions.js';
import { until } from '../../helpers/until.js';
import { askerOf, type Header } from '../asker.js';
import { rawAsk, rawStream } from '../raw.js';

const CHAINWEB = ['--profile', 'chainweb'];
const KEY = 'ab'.repeat(32);
const ALICE = { account: `k:${KEY}`, predicate: 'keys-all', 'public-keys': [KEY] };

let node: NodeHere;
/** With nothing switched on. */
let plain: NodeHere;
beforeAll(async () => {
  [node, plain] = await Promise.all([
    startEasyHere(...CHAINWEB, '--payload-refresh', '50ms'),
    startNodeHere(...CHAINWEB, '--miners', KEY),
  ]);
});
afterAll(() => Promise.all([node, plain].map((one) => one[Symbol.asyncDispose]())));

const peers = askerOf(() => node.peerUrl);
const miner = (account: string): object => ({ ...MINER, account });
const headerOf = (work: Answer): Buffer => work.bytes.subarray(36);
const chainIdOf = (work: Answer): number => work.bytes.readUInt32LE(0);
const heightOf = async (one: NodeHere): Promise<number> =>
  (await ask(`${one.url}/cut`)).json<{ height: number }>().height;

describe('B: availability', () => {
  it('the routes do not exist unless switched on: 404 with an empty body', async () => {
    for (const [method, path] of [
      ['GET', '/mining/work'],
      ['POST', '/mining/solved'],
      ['GET', '/mining/updates'],
    ] as const) {
      const answer = await ask(plain.url + path, { method });
      expect([answer.status, answer.text]).toEqual([404, '']);
    }
  });
});

describe('B.1 GET /mining/work', () => {
  const work = (options: {
    json?: unknown;
    body?: string;
    headers?: Record<string, string>;
  }): Promise<Answer> => ask(`${node.url}/mining/work`, options);

  it('needs all of account, predicate and public-keys', async () => {
    expect((await work({ json: MINER })).status).toBe(200);
    for (const name of Object.keys(MINER)) {
      const { [name]: _left, ...rest } = MINER as Record<string, unknown>;
      expect((await work({ json: rest })).status).toBe(400);
    }
  });

  it('needs content-type application/json: else 415, a missing one too', async () => {
    const body = JSON.stringify(MINER);
    expect((await work({ body })).status).toBe(415);
    expect((await work({ body, headers: { 'content-type': 'application/octet-stream' } })).status).toBe(415);
  });

  it('bad JSON is 400 with the words of the parser', async () => {
    const answer = await work({ body: '{"a', headers: { 'content-type': 'application/json' } });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('JSON')]);
  });

  it('chain=n is a hint: blocked and unknown chains give others, no number is 400', async () => {
    const open = chainIdOf(await askWork(node));
    expect(chainIdOf(await askWork(node, open))).toBe(open);
    expect(chainIdOf(await askWork(node, 4711))).toBeLessThan(10);
    // Two blocks above its neighbours cannot be.
    await mineOne(node, open);
    if (chainIdOf(await askWork(node, open)) === open) await mineOne(node, open);
    expect(chainIdOf(await askWork(node, open))).not.toBe(open);
    expect((await ask(`${node.url}/mining/work?chain=x`, { json: MINER })).status).toBe(400);
  });

  it('without it chains are drawn at random', async () => {
    await using fresh = await startEasyHere(...CHAINWEB);
    const drawn = new Set<number>();
    for (let i = 0; i < 60; i++) drawn.add(chainIdOf(await askWork(fresh)));
    expect(drawn.size).toBeGreaterThan(5);
  });

  it('checks in this order: 503 for too many payloads, 403 for a stranger', async () => {
    await using strict = await startEasyHere(...CHAINWEB, '--miners', KEY, '--mining-limit', '2');
    const stranger = await askWork(strict, 0);
    expect([stranger.status, stranger.text]).toEqual([403, `Unauthorized Miner: ${MINER.account}`]);
    expect(stranger.headers['content-type']).toBe('text/plain;charset=utf-8');
    for (const other of [
      { ...ALICE, predicate: 'keys-any' },
      { ...ALICE, 'public-keys': [] },
    ]) {
      expect((await askWork(strict, 0, other)).status).toBe(403);
    }
    // Exceeded means more than the limit: three payloads fit.
    for (const chain of [0, 1, 4]) expect((await askWork(strict, chain, ALICE)).status).toBe(200);
    const full = await askWork(strict, 8, ALICE);
    expect([full.status, full.text]).toEqual([503, 'Too many work requests']);
    expect((await askWork(strict, 0)).status).toBe(503);
  });

  it('blocks while no chain has work for the miner', async () => {
    const one = ['--network', 'test-singleton', '--graph', 'network'];
    await using fresh = await startEasyHere(...CHAINWEB, ...one);
    const future = headerOf(await askWork(fresh));
    future.writeBigInt64LE(BigInt(Date.now() + 600_000) * 1000n, 8);
    expect((await postSolved(fresh, solve(future))).status).toBe(200);
    const waiting = askWork(fresh);
    const first = await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 300, 'waits'))]);
    expect(first).toBe('waits');
    await mineOne(fresh, 0, miner('other'));
    expect((await waiting).status).toBe(200);
  });

  it('200 is 322 bytes: the time is now, the nonce 0; two calls share the payload and differ in time', async () => {
    const chain = chainIdOf(await askWork(node));
    const answers = [await askWork(node, chain), await askWork(node, chain)];
    const [first, second] = answers.map(({ bytes, headers }) => {
      expect([bytes.length, headers['content-type']]).toEqual([322, 'application/octet-stream']);
      return decodeWork(bytes).fields;
    });
    expect(first?.nonce).toBe(0n);
    expect(Math.abs(Number((first?.creationTime ?? 0n) / 1000n) - Date.now())).toBeLessThan(60_000);
    expect(second?.payloadHash).toEqual(first?.payloadHash);
    expect(second?.creationTime).toBeGreaterThan(first?.creationTime ?? 0n);
  });
});

describe('B.2 payload cache', () => {
  it('is dropped some time after the last hand-out, which renews it', async () => {
    await using short = await startEasyHere(...CHAINWEB, '--payload-lifetime', '1000ms');
    // Tried again where a busy machine lets more time pass between two questions.
    await until('one that is asked for again and again is kept', async () => {
      const kept = headerOf(await askWork(short, 1));
      const dropped = headerOf(await askWork(short, 8));
      for (let i = 0; i < 6; i++) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        await askWork(short, 1);
      }
      expect((await postSolved(short, solve(dropped))).text).toBe('No associated Payload');
      return (await postSolved(short, solve(kept))).status === 200;
    });
  });

  it('a refreshed payload is a new entry, and the old one stays good', async () => {
    const chain = chainIdOf(await askWork(node));
    const old = headerOf(await askWork(node, chain));
    await peers.put(`/chain/${chain}/mempool/insert`, [newTransaction('B.2').text]);
    await until('the work is refreshed', async () => {
      const fresh = headerOf(await askWork(node, chain));
      return !fresh.subarray(190, 222).equals(old.subarray(190, 222));
    });
    const before = await heightOf(node);
    expect((await postSolved(node, solve(old))).status).toBe(200);
    expect(await heightOf(node)).toBe(before + 1);
  });
});

describe('B.3 POST /mining/solved', () => {
  it('takes 286 bytes with and without content type; 415 for another', async () => {
    for (const headers of [{}, { 'content-type': 'application/octet-stream' }]) {
      const body = solve(headerOf(await askWork(node)));
      const answer = await rawAsk(`${node.url}/mining/solved`, { method: 'POST', body, headers });
      expect([answer.status, answer.body]).toEqual([200, '']);
    }
    const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    expect((await rawAsk(`${node.url}/mining/solved`, json)).status).toBe(415);
  });

  it('400 for length and structure, 404 for an unknown payload, in this order', async () => {
    for (const length of [0, 285, 287]) {
      const answer = await postSolved(node, new Uint8Array(length));
      expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/^Decoding error: /)]);
    }
    const header = Uint8Array.from(headerOf(await askWork(node)));
    header[200] = (header[200] ?? 0) ^ 1;
    const unknown = await postSolved(node, header);
    expect([unknown.status, unknown.text]).toEqual([404, 'No associated Payload']);
  });

  it('a second post of the same solution is 404, and so is another nonce for the same payload', async () => {
    const header = headerOf(await askWork(node));
    expect((await postSolved(node, solve(header))).status).toBe(200);
    expect((await postSolved(node, solve(header))).status).toBe(404);
    expect((await postSolved(node, solve(header, { from: 1_000_000n }))).status).toBe(404);
  });

  it('a stale solution is 200 and an orphan; its payload is gone', async () => {
    const chain = chainIdOf(await askWork(node));
    const late = solve(headerOf(await askWork(node, chain, miner('late'))));
    await mineOne(node, chain);
    const before = await heightOf(node);
    expect((await postSolved(node, late)).status).toBe(200);
    expect(await heightOf(node)).toBe(before);
    expect((await postSolved(node, late)).status).toBe(404);
  });

  it.each([
    [
      'a time in the future',
      (header: Buffer) => header.writeBigInt64LE(BigInt(Date.now() + 600_000) * 1000n, 8),
    ],
    ['another changed byte', (header: Buffer) => header.writeUInt8(header.readUInt8(226) ^ 1, 226)],
  ])(
    'a block refused for %s was answered 200; then the chain gives that miner no work',
    async (_name, change) => {
      await using fresh = await startEasyHere(...CHAINWEB);
      const header = headerOf(await askWork(fresh, 3));
      change(header);
      expect((await postSolved(fresh, solve(header))).status).toBe(200);
      expect(await heightOf(fresh)).toBe(0);
      for (let i = 0; i < 20; i++) expect(chainIdOf(await askWork(fresh, 3))).not.toBe(3);
      // Until somebody else's block arrives: others are not concerned.
      const other = await askWork(fresh, 3, miner('other'));
      expect(chainIdOf(other)).toBe(3);
      expect((await postSolved(fresh, solve(headerOf(other)))).status).toBe(200);
      for (const chain of [0, 1, 8]) await mineOne(fresh, chain, miner('other'));
      expect(chainIdOf(await askWork(fresh, 3))).toBe(3);
    },
  );
});

describe('B.4 GET /mining/updates', () => {
  const updates = (body: Uint8Array): Promise<Disposable & Awaited<ReturnType<typeof rawStream>>> =>
    rawStream(`${node.url}/mining/updates`, { body });

  it('takes exactly four bytes, without content type', async () => {
    for (const length of [0, 3, 5]) {
      const answer = await ask(`${node.url}/mining/updates`, { body: Buffer.alloc(length) });
      expect(answer.status).toBe(400);
    }
    using stream = await updates(chainBytes(chainIdOf(await askWork(node))));
    expect(stream.answer.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.answer.headers.get('transfer-encoding')).toBe('chunked');
  });

  it('sends no event at first; an event is event:New Cut and two line feeds', async () => {
    const chain = chainIdOf(await askWork(node));
    using stream = await updates(chainBytes(chain));
    expect(stream.events()).toBe('');
    await mineOne(node, chain);
    const events = await stream.until('an event', (text) => text.length > 0);
    expect(events).toMatch(/^(event:New Cut\n\n){1,2}$/);
  });

  it('sends its head only once the chain has work, for an unknown chain never', async () => {
    await using fresh = await startEasyHere(...CHAINWEB);
    await mineOne(fresh, 0);
    const heads: number[] = [];
    const opening = [0, 99].map(async (chain) => {
      const stream = await rawStream(`${fresh.url}/mining/updates`, { body: chainBytes(chain) });
      heads.push(chain);
      stream[Symbol.dispose]();
    });
    // The unknown one ends with the test, unanswered.
    opening[1]?.catch(() => {});
    for (const chain of [2, 3]) await mineOne(fresh, chain);
    expect(heads).toEqual([]);
    await mineOne(fresh, 5);
    await opening[0];
    expect(heads).toEqual([0]);
  });

  it('ends streams after their time by a normal end of the body', async () => {
    await using brief = await startEasyHere(...CHAINWEB, '--stream-lifetime', '200ms');
    using stream = await rawStream(`${brief.url}/mining/updates`, { body: chainBytes(0) });
    await until('the last chunk', () => stream.ends());
  });

  it('503 for the stream that would reach the limit, without content type', async () => {
    await using few = await startEasyHere(...CHAINWEB, '--stream-limit', '3');
    const body = chainBytes(0);
    using _first = await rawStream(`${few.url}/mining/updates`, { body });
    using _second = await rawStream(`${few.url}/mining/updates`, { body });
    const { status, headers, body: text } = await rawAsk(`${few.url}/mining/updates`, { body });
    expect([status, text]).toEqual([503, 'No more update streams available currently. Retry later.']);
    expect(headers.has('content-type')).toBe(false);
  });
});

describe('B.5 configuration', () => {
  it('shows the defaults, and blanks who may mine', async () => {
    const { text } = await ask(`${new URL(plain.peerUrl).origin}/config`);
    expect((JSON.parse(text) as { mining: object }).mining).toEqual({
      coordination: {
        enabled: false,
        miners: [],
        limit: 1200,
        updateStreamLimit: 2000,
        updateStreamTimeout: 240,
        payloadRefreshDelay: 15_000_000,
      },
      nodeMining: { enabled: false, miner: expect.any(Object) },
    });
    expect(text).not.toContain(KEY);
  });

  it('request bodies are capped at 2 MiB', async () => {
    const post = (bytes: number): Promise<Answer> => postSolved(node, new Uint8Array(bytes));
    expect((await post(2 * 1024 * 1024)).status).toBe(400);
    expect((await post(2 * 1024 * 1024 + 1)).status).toBe(413);
  });

  it('rates are limited on the peer port only, by address', async () => {
    const statusesOf = async (base: string): Promise<Set<number>> => {
      const pool = new Pool(new URL(base).origin, { connections: 2, connect: { rejectUnauthorized: false } });
      const path = `${new URL(base).pathname}/chain/0/mempool/getPending`;
      const statuses = new Set<number>();
      const ask = async (): Promise<void> => {
        const { statusCode, body } = await pool.request({ method: 'POST', path });
        await body.dump();
        statuses.add(statusCode);
      };
      for (let asked = 0; asked < 2_000 && statuses.size < 2; asked += 250)
        await Promise.all(Array.from({ length: 250 }, ask));
      await pool.close();
      return statuses;
    };
    // The mempool's rate is 20 a second: a machine would have to be very slow not to be faster.
    expect(await statusesOf(node.peerUrl)).toEqual(new Set([200, 429]));
    expect(await statusesOf(node.url)).toEqual(new Set([404]));
  });
});

describe('B.6 stale work', () => {
  it('a block on an adjacent chain does not make work stale, one on the chain itself does', async () => {
    await using fresh = await startEasyHere(...CHAINWEB);
    const late = solve(headerOf(await askWork(fresh, 0)));
    for (const chain of [2, 3, 5]) await mineOne(fresh, chain);
    await postSolved(fresh, late);
    const page = (await ask(`${fresh.url}/cut`)).json<{ hashes: Record<string, Header> }>();
    expect(page.hashes['0']?.height).toBe(1);
    // A second block on an adjacent chain cannot be made before chain 0 has advanced: all of them have now.
    const work = decodeWork((await askWork(fresh, 0)).bytes);
    expect(work.chainId === 0 ? viewOf(work.header).getBigUint64(258, true) : 2n).toBe(2n);
  });
});
