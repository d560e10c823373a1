/** Interface 2 against the process, read by the project's own node client: the rule of every field of every resource. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blockHashOf } from '../../src/core/bytes/block-hash.js';
import { fromBase64Url, readUintLittleEndian, toBase64Url } from '../../src/core/bytes/bytes.js';
import { payloadHashesOf } from '../../src/core/bytes/payload-hash.js';
import { decodeHeader, powHashOf } from '../../src/core/work/header.js';
import { NodeClient, type PayloadWithOutputs } from '../../src/node-client/client.js';
import { ask } from '../devnode/helpers.js';
import { type NodeHere, startEasyHere } from '../devnode/process.js';
import { askerOf, type Header, OBJECT, type Page } from './asker.js';
import { type Grown, grow, LATE_MINER } from './grown.js';

const HASH = /^[a-zA-Z0-9_-]{43}$/;
const BASE64_URL = /^[a-zA-Z0-9_-]+$/;
const CHAINS = 10;
const MOST = (1n << 256n) - 1n;

let node: NodeHere;
let client: NodeClient;
let grown: Grown;
/** Every header of every chain by its hash, and those of chain 0. */
let all: ReadonlyMap<string, Header>;
let chain0: Header[];

beforeAll(async () => {
  node = await startEasyHere('--peers', 'http://192.0.2.1:1848');
  grown = await grow(node, CHAINS);
  client = await NodeClient.connect({ nodes: node.url });
  const lists = await Promise.all(Array.from({ length: CHAINS }, (_, chain) => headers(chain)));
  all = new Map(lists.flat().map((header) => [header.hash, header]));
  chain0 = lists[0] ?? [];
});
afterAll(async () => {
  await client.close();
  await node[Symbol.asyncDispose]();
});

const { get, post, headers, page } = askerOf(() => node.url);
const integerOf = (text: string): bigint => readUintLittleEndian(fromBase64Url(text) ?? new Uint8Array());
const jsonIn = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());
const parentOf = ({ parent }: Header): Header | undefined => all.get(parent);

describe('2 collection page', () => {
  it.each(['/chain/0/hash', '/chain/0/header', '/chain/0/block'])(
    '2: items, limit and next of %s',
    async (path) => {
      const whole = (await get(path)).json<Page<unknown>>();
      expect(Object.keys(whole).sort()).toEqual(['items', 'limit', 'next']);
      expect([whole.limit, whole.next]).toEqual([whole.items.length, null]);
      const seen: unknown[] = [];
      let query = '?limit=2';
      for (;;) {
        const { items, limit, next } = await page<unknown>(path + query);
        expect(limit).toBe(items.length);
        expect(limit).toBeLessThanOrEqual(2);
        seen.push(...items);
        if (next === null) break;
        expect(next).toMatch(/^(inclusive|exclusive):.+$/);
        // Used literally.
        query = `?limit=2&next=${next}`;
      }
      expect(seen).toEqual(whole.items);
    },
  );
});

describe('2 block header', () => {
  const rules: readonly [field: string, rule: string, holds: (header: Header) => boolean][] = [
    ['creationTime', 'microseconds since the epoch', ({ creationTime }) => creationTime > 1.5e15],
    [
      'parent',
      'the block of the height below',
      (one) => one.height === 0 || parentOf(one)?.height === one.height - 1,
    ],
    ['height', 'the number of predecessors', (one) => predecessorsOf(one) === one.height],
    ['hash', '43 characters', ({ hash }) => HASH.test(hash)],
    [
      'chainId',
      'that of its chain',
      ({ chainId }) => Number.isInteger(chainId) && chainId >= 0 && chainId < CHAINS,
    ],
    ['weight', 'the sum of difficulties', (one) => integerOf(one.weight) === weightOf(one)],
    ['featureFlags', '0', ({ featureFlags }) => featureFlags === 0],
    [
      'epochStart',
      'not after the creation',
      (one) => one.epochStart >= 0 && one.epochStart <= one.creationTime,
    ],
    ['payloadHash', '43 characters', ({ payloadHash }) => HASH.test(payloadHash)],
    ['target', '43 characters of 256 bits', ({ target }) => HASH.test(target) && integerOf(target) <= MOST],
    ['nonce', 'decimal digits', ({ nonce }) => /^[0-9]+$/.test(nonce)],
  ];

  /** Counted by walking down. */
  function predecessorsOf(header: Header): number {
    let count = 0;
    for (let one = parentOf(header); one !== undefined; one = parentOf(one)) count++;
    return count;
  }

  function weightOf(header: Header): bigint {
    if (header.height === 0) return 0n;
    const below = parentOf(header);
    return MOST / integerOf(header.target) + (below ? weightOf(below) : 0n);
  }

  it.each(rules)('2: %s is %s', (field, _rule, holds) => {
    expect(all.size).toBeGreaterThan(4 * CHAINS);
    for (const header of all.values())
      expect([field, header.hash, holds(header)]).toEqual([field, header.hash, true]);
  });

  it('2: it has these fields and no others', () => {
    const fields =
      'adjacents chainId creationTime epochStart featureFlags hash height ledgerVersion nonce parent payloadHash target weight';
    for (const header of all.values()) expect(Object.keys(header).sort().join(' ')).toBe(fields);
  });

  it('2: adjacents map the ids of the graph, as strings, to blocks of those chains one height below', async () => {
    const info = await client.maintenance.info();
    const graph = new Map(info.nodeGraphHistory?.[0]?.[1]);
    for (const { chainId, height, adjacents } of all.values()) {
      expect(Object.keys(adjacents).map(Number)).toEqual(graph.get(chainId));
      for (const [id, hash] of Object.entries(adjacents)) {
        if (height > 0) expect(all.get(hash)).toMatchObject({ chainId: Number(id), height: height - 1 });
      }
    }
  });

  it('2: hash is the block’s own, ledgerVersion the network, and the proof of work meets the target', async () => {
    for (const { hash, header, fields } of (await client.chain(0).encodedHeaders.page()).items) {
      expect(toBase64Url(blockHashOf(header))).toBe(toBase64Url(hash));
      expect(all.get(toBase64Url(hash))).toMatchObject({ ledgerVersion: 'development' });
      const met = readUintLittleEndian(powHashOf(header)) <= readUintLittleEndian(fields.target);
      expect(fields.height === 0 || met).toBe(true);
    }
  });

  it('2: the object form has the same fields as the binary one, the nonce as a decimal string', async () => {
    for (const header of chain0) {
      const bytes = (await get(`/chain/0/header/${header.hash}`, 'application/octet-stream')).bytes;
      const fields = decodeHeader(bytes.subarray(0, 286));
      expect(header).toMatchObject({
        nonce: String(fields.nonce),
        creationTime: Number(fields.creationTime),
        epochStart: Number(fields.epochStart),
        height: fields.height,
        chainId: fields.chainId,
        parent: toBase64Url(fields.parent),
        target: toBase64Url(fields.target),
        payloadHash: toBase64Url(fields.payloadHash),
      });
    }
  });
});

describe('2 payloads', () => {
  const withOutputs = (header: Header): Promise<PayloadWithOutputs> =>
    client.chain(0).payloadWithOutputs(header.payloadHash, header.height);
  const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64url'));

  it('2: a payload has five fields; transactions are Base64Url of JSON, an empty block has none', async () => {
    for (const { payloadHash, height } of chain0) {
      const payload = (await get(`/chain/0/payload/${payloadHash}`)).json<Record<string, unknown>>();
      expect(Object.keys(payload).sort().join(' ')).toBe(
        'minerData outputsHash payloadHash transactions transactionsHash',
      );
      for (const name of ['transactionsHash', 'outputsHash', 'payloadHash'])
        expect(payload[name]).toMatch(HASH);
      const texts = payload['transactions'] as string[];
      for (const text of texts) {
        expect(text).toMatch(BASE64_URL);
        expect(jsonIn(text)).toHaveProperty('cmd');
      }
      expect(texts).toHaveLength(height === 3 ? 1 : 0);
    }
  });

  it('2: with outputs each transaction is a pair, and there is a coinbase', async () => {
    const head = chain0.at(-1) as Header;
    const payload = await withOutputs(head);
    const [[transaction = '', output = ''] = []] = payload.transactions;
    expect(Buffer.from(transaction, 'base64url').toString()).toBe(grown.transaction.text);
    // What an output holds is not shown: here the request key of its transaction, as on real nodes.
    expect(jsonIn(output)).toMatchObject({ reqKey: grown.transaction.key });
    expect(payload.coinbase).toMatch(BASE64_URL);
    expect(jsonIn(payload.coinbase)).toHaveProperty('result');
  });

  it('2: the three hashes are those of the content', async () => {
    for (const header of chain0) {
      const payload = await withOutputs(header);
      const hashes = payloadHashesOf({
        minerData: bytesOf(payload.minerData),
        coinbase: bytesOf(payload.coinbase),
        transactions: payload.transactions.map(([transaction]) => bytesOf(transaction)),
        outputs: payload.transactions.map(([, output]) => bytesOf(output)),
      });
      for (const name of ['transactionsHash', 'outputsHash', 'payloadHash'] as const) {
        expect(payload[name]).toBe(toBase64Url(hashes[name]));
      }
      expect(payload.payloadHash).toBe(header.payloadHash);
    }
  });

  it('2, miner information: minerData is the object of the work request, with its three fields', async () => {
    const { payloadHash } = all.get(grown.orphan) as Header;
    const { minerData } = (await get(`/chain/0/payload/${payloadHash}`)).json<{ minerData: string }>();
    expect(jsonIn(minerData)).toEqual(LATE_MINER);
  });

  it('2, full block: a header in object form and a payload', async () => {
    const { items } = await page<Record<string, unknown>>('/chain/0/block');
    // The names of the fields are not shown: those of real nodes are used.
    for (const block of items) expect(Object.keys(block)).toEqual(['header', 'payloadWithOutputs']);
    expect(items.map(({ header }) => header)).toEqual(chain0);
  });
});

describe('2 cut and peers', () => {
  it('2: height and weight are sums over the heads; hashes, instance, id and origin', async () => {
    // Its path is not shown: that of real nodes is used.
    const cut = await client.maintenance.cut();
    const heads = Object.entries(cut.hashes);
    expect(heads.map(([id]) => Number(id))).toEqual(Array.from({ length: CHAINS }, (_, id) => id));
    for (const [id, { hash, height }] of heads) {
      expect(all.get(hash)).toMatchObject({ chainId: Number(id), height });
    }
    expect(cut.height).toBe(heads.reduce((sum, [, { height }]) => sum + height, 0));
    const weights = heads.map(([, { hash }]) => integerOf(all.get(hash)?.weight ?? ''));
    expect(cut.weight).toMatch(HASH);
    expect(integerOf(cut.weight)).toBe(weights.reduce((sum, weight) => sum + weight, 0n));
    expect(cut).toMatchObject({ origin: null, instance: 'development', id: expect.stringMatching(HASH) });
  });

  it('2: an update of the cut requires an origin', async () => {
    const json = (await get('/cut')).json<object>();
    const answer = await ask(`${node.url}/cut`, { method: 'PUT', json });
    expect([answer.status, answer.text]).toEqual([400, 'Cut is missing an origin entry']);
  });

  it('2: peer information is an id or null, and an address of hostname and port', async () => {
    expect((await get('/cut/peer')).json()).toEqual({
      items: [{ id: null, address: { hostname: '192.0.2.1', port: 1848 } }],
      limit: 1,
      next: null,
    });
  });
});

describe('2 node information, not-found body', () => {
  it('2: the five fields of /info', async () => {
    const info = (await get('/info')).json<Record<string, unknown>>();
    expect(info).toMatchObject({
      nodeNumberOfChains: CHAINS,
      nodeApiVersion: '0.0',
      nodeChains: Array.from({ length: CHAINS }, (_, id) => String(id)),
      nodeVersion: 'development',
    });
    const history = info['nodeGraphHistory'] as [number, [number, number[]][]][];
    expect(history.length).toBeGreaterThan(0);
    expect(new Set(history.map((entry) => JSON.stringify(entry))).size).toBe(history.length);
    for (const [height, graph] of history) {
      expect(Number.isInteger(height)).toBe(true);
      for (const [id, adjacents] of graph) {
        for (const other of adjacents) expect(new Map(graph).get(other)).toContain(id);
      }
    }
  });

  it('2 and 7: a not-found body has the key that was asked for and a reason', async () => {
    const missing = `${'B'.repeat(42)}A`;
    for (const path of [`/chain/0/header/${missing}`, `/chain/0/payload/${missing}`]) {
      expect((await get(path, path.includes('header') ? OBJECT : undefined)).json()).toEqual({
        key: missing,
        reason: 'key not found',
      });
    }
    expect((await post('/chain/0/hash/branch', { upper: [missing] })).json()).toMatchObject({ key: missing });
  });
});
