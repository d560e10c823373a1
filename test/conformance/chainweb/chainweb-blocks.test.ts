/** Profile chainweb against the process: table D of the protocol notes, what is read of blocks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../../devnode/helpers.js';
import { LONG_CHAIN_FLAGS, writeLongChain } from '../../devnode/long-chain.js';
import { type NodeHere, startEasyHere, startNodeHere } from '../../devnode/process.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { askerOf, NOWHERE, OBJECT, type Page } from '../asker.js';
import { type Grown, grow } from '../grown.js';
import { rawAsk } from '../raw.js';

let node: NodeHere;
let grown: Grown;
/** One chain of 5,000 blocks. */
let long: NodeHere;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  node = await startEasyHere('--profile', 'chainweb');
  grown = await grow(node, 10);
  await writeLongChain(folder.path, 5000);
  long = await startNodeHere('--profile', 'chainweb', '--data-dir', folder.path, ...LONG_CHAIN_FLAGS);
});
afterAll(async () => {
  await Promise.all([node, long].map((one) => one[Symbol.asyncDispose]()));
  await folder[Symbol.asyncDispose]();
});

const service = askerOf(() => node.url);
const peers = askerOf(() => node.peerUrl);

describe('table D: blocks', () => {
  it.each(['hash', 'header', 'block'])(
    '%s listing: an empty page where nothing matches, 404 only for an unknown next',
    async (what) => {
      for (const query of ['minheight=900', 'maxheight=900&minheight=800', 'minheight=2&maxheight=1']) {
        const answer = await service.get(`/chain/0/${what}?${query}`);
        expect([answer.status, answer.json()]).toEqual([200, { items: [], limit: 0, next: null }]);
      }
      expect((await service.get(`/chain/0/${what}?maxheight=900`)).status).toBe(200);
      const unknown = await service.get(`/chain/0/${what}?next=inclusive:${NOWHERE}`);
      expect([unknown.status, unknown.json()]).toEqual([404, { key: NOWHERE, reason: 'key not found' }]);
    },
  );

  it('listing order: height, then raw hash bytes, orphans included', async () => {
    const headers = await service.headers(0);
    const keys = headers.map(({ height, hash }) => [height, Buffer.from(hash, 'base64url')] as const);
    const sorted = [...keys].sort((a, b) => a[0] - b[0] || Buffer.compare(a[1], b[1]));
    expect(keys).toEqual(sorted);
    expect(headers.map(({ hash }) => hash)).toContain(grown.orphan);
  });

  it.each([
    ['hash', 4096],
    ['header', 360],
    ['block', 360],
  ])('page size: %s has %d as default and as maximum', async (what, most) => {
    for (const query of ['', '?limit=100000']) {
      const { items, limit, next } = (await ask(`${long.url}/chain/0/${what}${query}`)).json<Page>();
      expect([items.length, limit, next]).toEqual([most, most, expect.stringMatching(/^inclusive:/)]);
    }
  });

  it('page size: 20 headers on the peer port, in listings and branches', async () => {
    for (const query of ['', '?limit=360']) {
      expect((await ask(`${long.peerUrl}/chain/0/header${query}`)).json<Page>().items).toHaveLength(20);
    }
    const { hashes } = (await ask(`${long.url}/cut`)).json<{ hashes: Record<string, { hash: string }> }>();
    const body = { method: 'POST', json: { upper: [hashes['0']?.hash] } } as const;
    expect((await ask(`${long.peerUrl}/chain/0/header/branch`, body)).json<Page>().items).toHaveLength(20);
  });

  it('page size: limit 0 is an empty page whose next is the first key', async () => {
    const [first] = await service.headers(0);
    expect(await service.page('/chain/0/hash?limit=0')).toEqual({
      items: [],
      limit: 0,
      next: `inclusive:${first?.hash}`,
    });
  });

  it('limit in the answer is the number of items; next with more is inclusive:<next key>', async () => {
    const headers = await service.headers(7);
    expect(await service.page('/chain/7/hash?limit=2')).toEqual({
      items: headers.slice(0, 2).map(({ hash }) => hash),
      limit: 2,
      next: `inclusive:${headers[2]?.hash}`,
    });
    expect((await service.page('/chain/7/hash?limit=300')).limit).toBe(headers.length);
  });

  it('minheight with next below it: an empty page', async () => {
    const [genesis] = await service.headers(0);
    const answer = await service.page(`/chain/0/hash?minheight=1&next=inclusive:${genesis?.hash}`);
    expect(answer).toEqual({ items: [], limit: 0, next: null });
  });

  it.each(['upper', 'lower'])(
    'branches: more than 32 %s bounds (4 on the peer port) are 400, a JSON string, no content type',
    async (side) => {
      const { hash } = await service.head(0);
      const body = (count: number): string =>
        JSON.stringify({ upper: [hash], lower: [], [side]: new Array(count).fill(hash) });
      const headers = { 'content-type': 'application/json' };
      const places = [
        [`${node.url}/chain/0/hash/branch`, 32],
        [`${node.url}/chain/0/block/branch`, 32],
        [`${node.peerUrl}/chain/0/header/branch`, 4],
      ] as const;
      for (const [url, most] of places) {
        expect((await rawAsk(url, { method: 'POST', headers, body: body(most) })).status).toBe(200);
        const answer = await rawAsk(url, { method: 'POST', headers, body: body(most + 1) });
        expect([answer.status, answer.headers.has('content-type')]).toEqual([400, false]);
        expect(JSON.parse(answer.body)).toContain(`at most ${most}`);
      }
    },
  );

  it('branch unknown bound: 404 for upper and next only; missing keys count as none', async () => {
    const { hash } = await service.head(0);
    for (const query of [`?next=inclusive:${NOWHERE}`, '']) {
      const upper = query === '' ? [NOWHERE] : [hash];
      const answer = await service.post(`/chain/0/header/branch${query}`, { upper, lower: [] });
      expect([answer.status, answer.json()]).toEqual([404, { key: NOWHERE, reason: 'key not found' }]);
    }
    expect((await service.post('/chain/0/hash/branch', { upper: [hash], lower: [NOWHERE] })).status).toBe(
      200,
    );
    for (const body of [{}, { upper: [], lower: [] }, { lower: [hash] }]) {
      expect((await service.post('/chain/0/hash/branch', body)).json()).toEqual({
        items: [],
        limit: 0,
        next: null,
      });
    }
  });

  it('branch maxheight: begins with each upper bound’s ancestor at that height', async () => {
    const headers = await service.headers(6);
    const upper = [headers.at(-1)?.hash];
    const answer = await service.post('/chain/6/hash/branch?maxheight=1', { upper });
    expect(answer.json<Page>().items).toEqual([headers[1]?.hash, headers[0]?.hash]);
  });

  it('header object: order of keys, and the types of their values', async () => {
    const { items } = await service.page<Record<string, unknown>>('/chain/0/header?minheight=1', OBJECT);
    expect(Object.keys(items[0] ?? {})).toEqual(HEADER_KEYS);
    expect(items[0]).toMatchObject({ nonce: expect.stringMatching(/^\d+$/), chainwebVersion: 'development' });
    for (const name of ['creationTime', 'height', 'epochStart', 'featureFlags', 'chainId']) {
      expect(typeof items[0]?.[name]).toBe('number');
    }
  });

  it('Accept: three for one header, the first two for listings, text without a wish', async () => {
    const { hash } = await service.head(0);
    const one = `/chain/0/header/${hash}`;
    const bytes = await service.get(one, 'application/octet-stream');
    expect(bytes.bytes).toHaveLength(318);
    expect((await service.get(one)).json()).toBe(bytes.bytes.toString('base64url'));
    expect((await service.get(one, '*/*')).json()).toBe(bytes.bytes.toString('base64url'));
    expect((await service.get(one, OBJECT)).json()).toMatchObject({ hash });
    expect((await service.page('/chain/0/header')).items.at(-1)).toBe(bytes.bytes.toString('base64url'));
    expect((await service.get('/chain/0/header', 'application/octet-stream')).status).toBe(406);
  });

  it('block items: header as object, and payloadWithOutputs', async () => {
    const [block] = (await service.page<Record<string, unknown>>('/chain/0/block?minheight=3')).items;
    expect(Object.keys(block ?? {})).toEqual(['header', 'payloadWithOutputs']);
    expect(Object.keys(block?.['header'] ?? {})).toEqual(HEADER_KEYS);
  });

  it('payload by hash: on both ports; height only helps; 404 with key and reason', async () => {
    const { payloadHash, height } = await service.head(8);
    for (const base of [node.url, node.peerUrl]) {
      for (const query of ['', `?height=${height}`, '?height=0']) {
        const answer = await ask(`${base}/chain/8/payload/${payloadHash}${query}`);
        expect(answer.json()).toMatchObject({ payloadHash });
      }
      const missing = await ask(`${base}/chain/8/payload/${NOWHERE}/outputs`);
      expect([missing.status, missing.json()]).toEqual([404, { key: NOWHERE, reason: 'key not found' }]);
    }
  });

  it.each(['payload/batch', 'payload/outputs/batch'])(
    '%s: a list, or hashes zipped with heights; unknown ones left out',
    async (path) => {
      const headers = await service.headers(8);
      const hashes = headers.map(({ payloadHash }) => payloadHash);
      const found = async (body: unknown): Promise<string[]> =>
        (await service.post(`/chain/8/${path}`, body))
          .json<{ payloadHash: string }[]>()
          .map((one) => one.payloadHash);
      expect(await found(hashes)).toEqual(hashes);
      expect(await found({ hashes, heights: [0, 1] })).toEqual(hashes.slice(0, 2));
      expect(await found({ hashes: [NOWHERE, hashes[1]], heights: [0, 1] })).toEqual([hashes[1]]);
      const none = await service.post(`/chain/8/${path}`, [NOWHERE]);
      expect([none.status, none.json()]).toEqual([200, []]);
      expect((await service.post(`/chain/8/${path}`, { hashes })).status).toBe(400);
      expect(await found([...new Array(1000).fill(NOWHERE), hashes[0]])).toEqual([]);
      expect(await found([...new Array(999).fill(NOWHERE), hashes[0]])).toEqual([hashes[0]]);
    },
  );

  it.each(['payload/batch', 'payload/outputs/batch'])(
    '%s on the peer port: 404 with a JSON string',
    async (path) => {
      const answer = await peers.post(`/chain/8/${path}`, []);
      expect([answer.status, answer.text]).toEqual([404, '"payload batch limit is 0"']);
    },
  );
});

const HEADER_KEYS = (
  'nonce creationTime parent adjacents target payloadHash chainId weight height chainwebVersion epochStart ' +
  'featureFlags hash'
).split(' ');
