/** Interface 4.1 to 4.4 against the process: what is read of blocks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blockHashOf } from '../../src/core/bytes/block-hash.js';
import { toBase64Url } from '../../src/core/bytes/bytes.js';
import { payloadHashesOf } from '../../src/core/bytes/payload-hash.js';
import { decodeHeader } from '../../src/core/work/header.js';
import { type NodeHere, startEasyHere } from '../devnode/process.js';
import { askerOf, type Header, NOWHERE, OBJECT, type Page } from './asker.js';
import { grow, LATE_MINER } from './grown.js';

/** Three chains that all touch: heights 0 to 3 on each, and one orphan of height 2 on chain 0. */
let node: NodeHere;
let orphan = '';
/** Hash of each chain's head. */
let heads: string[] = [];

beforeAll(async () => {
  node = await startEasyHere('--graph', 'triangle');
  ({ orphan } = await grow(node, 3));
  const { hashes } = (await get('/cut')).json<{ hashes: Record<string, { hash: string }> }>();
  heads = Object.values(hashes).map(({ hash }) => hash);
});
afterAll(() => node[Symbol.asyncDispose]());

const { get, post, page, headers: headersOf } = askerOf(() => node.url);

describe('4.2 block hashes', () => {
  it('4.2: lists ascending by height, orphans included, next null at the end', async () => {
    const { items, limit, next } = await page<string>('/chain/0/hash');
    const headers = await headersOf(0);
    expect(items).toEqual(headers.map(({ hash }) => hash));
    expect(headers.map(({ height }) => height)).toEqual([0, 1, 2, 2, 3]);
    expect(items).toContain(orphan);
    expect([limit, next]).toEqual([5, null]);
  });

  it('2, collection page: following next literally gives every item once', async () => {
    const all = (await page<string>('/chain/0/hash')).items;
    for (const limit of [1, 2, 5]) {
      const seen: string[] = [];
      let query = `?limit=${limit}`;
      for (;;) {
        const { items, next, limit: count } = await page<string>(`/chain/0/hash${query}`);
        expect(items.length).toBeLessThanOrEqual(limit);
        expect(count).toBe(items.length);
        seen.push(...items);
        if (next === null) break;
        expect(next).toMatch(/^(inclusive|exclusive):/);
        query = `?limit=${limit}&next=${encodeURIComponent(next)}`;
      }
      expect(seen).toEqual(all);
    }
  });

  it('4.2: exclusive begins behind the named block', async () => {
    const all = (await page<string>('/chain/0/hash')).items;
    const rest = await page<string>(`/chain/0/hash?next=exclusive:${all[2]}`);
    expect(rest.items).toEqual(all.slice(3));
  });

  it('4.2: minheight and maxheight bound the listing', async () => {
    const headers = await page<Header>('/chain/0/header?minheight=2&maxheight=3', OBJECT);
    expect(headers.items.map(({ height }) => height)).toEqual([2, 2, 3]);
    const later = await page<Header>(
      `/chain/0/header?minheight=3&next=inclusive:${headers.items[0]?.hash}`,
      OBJECT,
    );
    expect(later.items.map(({ height }) => height)).toEqual([3]);
  });

  it.each(['minheight=4', 'maxheight=4', 'minheight=3&maxheight=2', `next=inclusive:${NOWHERE}`])(
    '7: %s finds nothing: 404 with key and reason',
    async (query) => {
      for (const what of ['hash', 'header', 'block']) {
        const answer = await get(`/chain/0/${what}?${query}`);
        expect(answer.status).toBe(404);
        expect(answer.json()).toEqual({ key: expect.any(String), reason: expect.any(String) });
      }
    },
  );

  it('4.2: limit 0 gives no item and a way on', async () => {
    const first = (await page<string>('/chain/0/hash')).items[0];
    expect(await page('/chain/0/hash?limit=0')).toEqual({ items: [], limit: 0, next: `inclusive:${first}` });
  });
});

describe('4.2 to 4.4 branches', () => {
  it('4.2: with only upper gives all its ancestors, descending', async () => {
    const head = heads[0] ?? '';
    const { items, next } = (await post('/chain/0/hash/branch', { upper: [head] })).json<Page<string>>();
    const byHash = new Map((await headersOf(0)).map((header) => [header.hash, header]));
    expect(items.map((hash) => byHash.get(hash)?.height)).toEqual([3, 2, 1, 0]);
    for (const [i, hash] of items.slice(0, -1).entries()) expect(byHash.get(hash)?.parent).toBe(items[i + 1]);
    expect(next).toBeNull();
    expect(items).not.toContain(orphan);
  });

  it('4.2: leaves out ancestors of lower, and follows an orphan’s branch', async () => {
    const hashes = heads;
    const above = (await post('/chain/0/hash/branch', { upper: [orphan], lower: [hashes[0]] })).json<
      Page<string>
    >();
    expect(above.items).toEqual([orphan]);
    const both = (await post('/chain/0/hash/branch', { upper: [hashes[0], orphan], lower: [] })).json<
      Page<string>
    >();
    expect(both.items).toHaveLength(5);
    expect(new Set(both.items).size).toBe(5);
    const none = (await post('/chain/0/hash/branch', { upper: [hashes[0]], lower: [hashes[0]] })).json<
      Page<string>
    >();
    expect(none.items).toEqual([]);
  });

  it('4.2: pages, minheight and maxheight', async () => {
    const head = heads[1] ?? '';
    const all = (await post('/chain/1/hash/branch', { upper: [head] })).json<Page<string>>().items;
    const seen: string[] = [];
    let next: string | null = null;
    do {
      const query: string = `?limit=2${next === null ? '' : `&next=${next}`}`;
      const answer: Page<string> = (await post(`/chain/1/hash/branch${query}`, { upper: [head] })).json();
      seen.push(...answer.items);
      next = answer.next;
    } while (next !== null);
    expect(seen).toEqual(all);
    const middle = await post('/chain/1/hash/branch?minheight=1&maxheight=2', { upper: [head] });
    expect(middle.json<Page<string>>().items).toEqual(all.slice(1, 3));
    const after = await post(`/chain/1/hash/branch?next=exclusive:${all[1]}`, { upper: [head] });
    expect(after.json<Page<string>>().items).toEqual(all.slice(2));
  });

  it('7: a bound that is not on the chain is 404 with its key; more bounds than allowed 400; Accept 406', async () => {
    const head = heads[0];
    const elsewhere = heads[1];
    for (const what of ['hash', 'header', 'block']) {
      const path = `/chain/0/${what}/branch`;
      for (const body of [{ upper: [NOWHERE] }, { upper: [head], lower: [elsewhere] }]) {
        const answer = await post(path, body);
        expect([answer.status, answer.json()]).toEqual([
          404,
          { key: expect.stringMatching(/^.{43}$/), reason: 'key not found' },
        ]);
      }
      const many = await post(path, { upper: new Array(33).fill(head) });
      expect([many.status, many.text]).toEqual([400, expect.stringContaining('bounds exceeded')]);
      if (what !== 'hash') expect((await post(path, { upper: [head] }, 'text/html')).status).toBe(406);
    }
  });

  it('4.3 and 4.4: header and block branches hold the blocks of the hash branch', async () => {
    const upper = [heads[2]];
    const hashes = (await post('/chain/2/hash/branch', { upper })).json<Page<string>>().items;
    const headers = (await post('/chain/2/header/branch', { upper }, OBJECT)).json<Page<Header>>().items;
    const blocks = (await post('/chain/2/block/branch', { upper })).json<Page<{ header: Header }>>().items;
    expect(headers.map(({ hash }) => hash)).toEqual(hashes);
    expect(blocks.map(({ header }) => header)).toEqual(headers);
  });
});

describe('4.3 block headers', () => {
  it('4.3: the three encodings say the same', async () => {
    const hash = heads[1] ?? '';
    const path = `/chain/1/header/${hash}`;
    const [text, object, bytes] = await Promise.all([
      get(path, 'application/json'),
      get(path, OBJECT),
      get(path, 'application/octet-stream'),
    ]);
    expect(text.headers['content-type']).toBe('application/json');
    expect(object.headers['content-type']).toBe(OBJECT);
    expect(bytes.headers['content-type']).toBe('application/octet-stream');
    // Two adjacents: 250 bytes as hashed, 32 of the hash.
    expect(bytes.bytes).toHaveLength(282);
    expect(text.json()).toBe(bytes.bytes.toString('base64url'));
    const header = bytes.bytes.subarray(0, -32);
    expect(toBase64Url(blockHashOf(header))).toBe(hash);
    expect(toBase64Url(bytes.bytes.subarray(-32))).toBe(hash);
    const fields = decodeHeader(header);
    expect(object.json()).toMatchObject({
      hash,
      nonce: String(fields.nonce),
      height: fields.height,
      creationTime: Number(fields.creationTime),
      epochStart: Number(fields.epochStart),
      parent: toBase64Url(fields.parent),
      target: toBase64Url(fields.target),
      payloadHash: toBase64Url(fields.payloadHash),
      featureFlags: 0,
      ledgerVersion: 'development',
      chainId: 1,
    });
  });

  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['text/html, application/json;q=0.5', 'application/json'],
    ['application/json; Blockheader-Encoding=Object', OBJECT],
    ['application/octet-stream;q=0.1, application/json;blockheader-encoding=object;q=0.9', OBJECT],
  ])('4.3: Accept %s gives %s', async (accept, type) => {
    expect((await get('/chain/0/header?limit=1', accept)).headers['content-type']).toBe(type);
  });

  it.each([
    'text/html',
    'application/octet-stream',
    'application/json;blockheader-encoding=xml',
    'application/json;q=0',
  ])('4.3: a listing cannot be had as %s: 406', async (accept) => {
    expect((await get('/chain/0/header', accept)).status).toBe(406);
  });

  it('4.3: every header’s parent and adjacents are headers of the height below', async () => {
    const all = (await Promise.all([0, 1, 2].map(headersOf))).flat();
    const byHash = new Map(all.map((header) => [header.hash, header]));
    for (const header of all.filter(({ height }) => height > 0)) {
      expect(byHash.get(header.parent)).toMatchObject({ height: header.height - 1, chainId: header.chainId });
      for (const [chain, hash] of Object.entries(header.adjacents)) {
        expect(byHash.get(hash)).toMatchObject({ height: header.height - 1, chainId: Number(chain) });
      }
    }
  });

  it('4.3, 7: no such block is 404, and so is a block of another chain', async () => {
    for (const hash of [NOWHERE, heads[1] ?? '']) {
      const answer = await get(`/chain/0/header/${hash}`);
      expect([answer.status, answer.json()]).toEqual([404, { key: hash, reason: 'key not found' }]);
    }
  });
});

describe('4.1 payloads and 4.4 blocks', () => {
  interface WithOutputs {
    transactions: [string, string][];
    minerData: string;
    coinbase: string;
    transactionsHash: string;
    outputsHash: string;
    payloadHash: string;
  }
  const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64url'));

  it('4.4: each block holds its header and the payload that hashes to the header’s payload hash', async () => {
    const { items } = await page<{ header: Header; payloadWithOutputs: WithOutputs }>('/chain/0/block');
    expect(items).toHaveLength(5);
    for (const { header, payloadWithOutputs: payload } of items) {
      const hashes = payloadHashesOf({
        minerData: bytesOf(payload.minerData),
        coinbase: bytesOf(payload.coinbase),
        transactions: payload.transactions.map(([transaction]) => bytesOf(transaction)),
        outputs: payload.transactions.map(([, output]) => bytesOf(output)),
      });
      expect(toBase64Url(hashes.payloadHash)).toBe(header.payloadHash);
      expect(toBase64Url(hashes.transactionsHash)).toBe(payload.transactionsHash);
      expect(toBase64Url(hashes.outputsHash)).toBe(payload.outputsHash);
    }
  });

  it('4.1: a coinbase credits the miner that the work request named', async () => {
    const late = (await headersOf(0)).find(({ hash }) => hash === orphan);
    const payload = (await get(`/chain/0/payload/${late?.payloadHash}/outputs?height=2`)).json<WithOutputs>();
    const miner = JSON.parse(Buffer.from(payload.minerData, 'base64url').toString());
    const coinbase = JSON.parse(Buffer.from(payload.coinbase, 'base64url').toString());
    expect(miner).toEqual(LATE_MINER);
    expect(coinbase.events[0].params[1]).toBe('late');
    expect(Buffer.from(coinbase.reqKey, 'base64url').toString()).toBe(late?.parent);
  });

  it('4.1: with and without outputs, alone and in batches', async () => {
    const [, one, two] = await headersOf(1);
    const path = '/chain/1/payload';
    const alone = (await get(`${path}/${one?.payloadHash}`)).json<object>();
    const outputs = (await get(`${path}/${one?.payloadHash}/outputs`)).json<object>();
    expect(Object.keys(alone).sort()).toEqual([
      'minerData',
      'outputsHash',
      'payloadHash',
      'transactions',
      'transactionsHash',
    ]);
    expect(outputs).toMatchObject({ ...alone, coinbase: expect.any(String) });
    const hashes = [one?.payloadHash, two?.payloadHash, NOWHERE];
    const batch = (await post(`${path}/batch`, { hashes })).json<object[]>();
    expect(batch).toHaveLength(2);
    expect(batch[0]).toEqual(alone);
    const heights = [1, 2, 9];
    expect((await post(`${path}/outputs/batch`, { hashes, heights })).json<object[]>()[0]).toEqual(outputs);
    expect((await post(`${path}/batch`, {})).json()).toEqual([]);
  });

  it('4.1, 7: 404 when there is no such payload on the chain, or none of a batch', async () => {
    const [, header] = await headersOf(1);
    for (const hash of [NOWHERE, header?.payloadHash ?? '']) {
      const answer = await get(`/chain/0/payload/${hash}`);
      expect([answer.status, answer.json()]).toEqual([404, { key: hash, reason: 'key not found' }]);
      expect((await get(`/chain/0/payload/${hash}/outputs`)).status).toBe(404);
    }
    const batch = await post('/chain/0/payload/batch', { hashes: [NOWHERE] });
    expect([batch.status, batch.json()]).toEqual([404, { key: NOWHERE, reason: 'no payloads match' }]);
    expect((await post('/chain/0/payload/outputs/batch', { hashes: [NOWHERE], heights: [1] })).status).toBe(
      404,
    );
  });
});
