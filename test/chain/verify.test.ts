/** N1: the client believes no header, payload or branch that it has not hashed. On headers and payloads of real chains. */
import { describe, expect, it } from 'vitest';
import { blockHashOf } from '../../src/core/bytes/block-hash.js';
import { fromHex, toBase64Url } from '../../src/core/bytes/bytes.js';
import { payloadHashesOf } from '../../src/core/bytes/payload-hash.js';
import { decodeHeader, encodeHeader } from '../../src/core/work/header.js';
import { type ClientOptions, NodeClient, type NodeError } from '../../src/node-client/client.js';
import { followedNode } from '../../src/node-client/following/followed-node.js';
import { readVectors, vectorsArePresent } from '../helpers/runner/vectors.js';
import { type Handler, serveHttp } from '../helpers/web/http.js';
import { failureOf } from '../node-client/scripted-node.js';

interface HeaderVector {
  readonly hex286: string;
  readonly blockHash: string;
  readonly group: string;
  readonly mined: boolean;
  readonly fields: {
    readonly parent: string;
    readonly height: number;
    readonly chainId: number;
    readonly versionCode: number;
    readonly featureFlags: string;
  };
}

/** Answers by path below the base; `undefined` is 404. */
type Answers = (path: string, accept: string) => unknown;

async function withMainnet<T>(
  answers: Answers,
  use: (node: NodeClient) => Promise<T>,
  options?: ClientOptions,
): Promise<T> {
  const info = JSON.stringify({ nodeVersion: 'mainnet01', nodeApiVersion: '0.0' });
  const handler: Handler = (request, response) => {
    if (request.url === '/info') return void response.end(info);
    const path = String(request.url).replace('/chainweb/0.0/mainnet01/chain/', '');
    const answer = answers(path, String(request.headers.accept));
    if (answer === undefined) return void response.writeHead(404).end();
    response.end(answer instanceof Uint8Array ? answer : JSON.stringify(answer));
  };
  await using server = await serveHttp(handler);
  const node = await NodeClient.connect({ nodes: server.url, verify: { versionCode: 5 }, ...options });
  try {
    return await use(node);
  } finally {
    await node.close();
  }
}

const bytesOf = ({ hex286 }: { hex286: string }): Uint8Array => fromHex(hex286) ?? new Uint8Array();
const encoded = (header: Uint8Array, hash = blockHashOf(header)): Uint8Array => Buffer.concat([header, hash]);

/** As a node writes it. */
function objectOf(header: Uint8Array): Record<string, unknown> {
  const fields = decodeHeader(header);
  return {
    nonce: String(fields.nonce),
    creationTime: Number(fields.creationTime),
    parent: toBase64Url(fields.parent),
    adjacents: Object.fromEntries(fields.adjacents.map(({ chainId, hash }) => [chainId, toBase64Url(hash)])),
    target: toBase64Url(fields.target),
    payloadHash: toBase64Url(fields.payloadHash),
    chainId: fields.chainId,
    weight: toBase64Url(Buffer.from(fields.weight.toString(16).padStart(64, '0'), 'hex').reverse()),
    height: fields.height,
    chainwebVersion: 'mainnet01',
    epochStart: Number(fields.epochStart),
    featureFlags: Number(fields.flags),
    hash: toBase64Url(blockHashOf(header)),
  };
}

const altered = (header: Uint8Array, change: Partial<ReturnType<typeof decodeHeader>>): Uint8Array =>
  encodeHeader({ ...decodeHeader(header), ...change });

describe('N1: a header', { tags: ['vectors'] }, () => {
  const all = vectorsArePresent ? readVectors<{ headers: HeaderVector[] }>('headers').headers : [];
  const mainnet = all.filter(
    ({ fields }) => fields.versionCode === 5 && Number(fields.featureFlags) < 2 ** 53,
  );
  // Functions, as the vectors may not be there when tests are only collected.
  const mined = () => mainnet.find((one) => one.mined) ?? expect.fail('no mined header');
  const chainId = () => mined().fields.chainId;
  const real = () => bytesOf(mined());
  const weak = () => altered(real(), { nonce: decodeHeader(real()).nonce + 1n });

  it('of a real chain is believed in every form, a genesis too', async () => {
    const seen: boolean[] = [];
    for (const vector of mainnet) {
      seen.push(vector.mined);
      const header = bytesOf(vector);
      const answers: Answers = (_, accept) => {
        if (accept.includes('object')) return objectOf(header);
        return accept.includes('octet') ? encoded(header) : toBase64Url(encoded(header));
      };
      if (seen.filter((one) => one === vector.mined).length > 5) continue;
      await withMainnet(answers, async (node) => {
        const chain = node.chain(vector.fields.chainId);
        expect((await chain.header(vector.blockHash)).height).toBe(vector.fields.height);
        expect((await chain.encodedHeader(vector.blockHash)).header).toEqual(header);
        expect((await chain.encodedHeader(vector.blockHash, 'text')).header).toEqual(header);
      });
    }
    expect(new Set(seen)).toEqual(new Set([true, false]));
  });

  it.each<[string, (hash: string) => unknown, RegExp]>([
    ['other bytes under the hash', () => encoded(weak(), blockHashOf(real())), /hashes to/],
    ['another block', () => encoded(weak()), /which was not asked for/],
    ['another block as object', () => objectOf(weak()), /which was not asked for/],
    ['an object with another field', (hash) => ({ ...objectOf(real()), height: 7, hash }), /hashes to/],
    ['an object without neighbours', () => ({ ...objectOf(real()), adjacents: {} }), /hashes to/],
  ])('is refused where it is %s', async (_, answer, words) => {
    const told: NodeError[] = [];
    const isObject = !(answer('') instanceof Uint8Array);
    const error = await withMainnet(
      () => answer(mined().blockHash),
      (node) => {
        const chain = node.chain(chainId());
        return failureOf(isObject ? chain.header(mined().blockHash) : chain.encodedHeader(mined().blockHash));
      },
      { onForged: (forged) => told.push(forged) },
    );
    expect(error).toMatchObject({ code: 'forged', message: expect.stringMatching(words) });
    expect(error.node).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(told).toEqual([error]);
  });

  it('without proof of work, or of another chain, is refused in listings', async () => {
    const page = { items: [toBase64Url(encoded(weak()))], limit: 1, next: null };
    await withMainnet(
      () => page,
      async (node) => {
        const failure = await failureOf(node.chain(chainId()).encodedHeaders.page());
        expect(failure).toMatchObject({ code: 'forged', message: /has no proof of work/ });
      },
    );
    await withMainnet(
      () => ({ ...page, items: [objectOf(real())] }),
      async (node) => {
        const failure = await failureOf(node.chain((chainId() + 1) % 20).headers.page());
        expect(failure.message).toContain(`is of chain ${chainId()}, not of chain`);
      },
    );
  });

  it('is believed whatever it is by who says so', async () => {
    await withMainnet(
      () => encoded(weak()),
      (node) => node.chain(chainId()).encodedHeader(toBase64Url(blockHashOf(weak()))),
      { verify: { proofOfWork: false } },
    );
    const other = await withMainnet(
      () => encoded(weak()),
      (node) => node.chain(chainId()).encodedHeader(mined().blockHash),
      { verify: false },
    );
    expect(other.header).toEqual(weak());
  });

  it('of a branch is the parent of the one before it, from the bound on', async () => {
    const byHash = new Map(mainnet.map((one) => [one.blockHash, one]));
    const upper = mainnet.find(({ fields }) => byHash.has(fields.parent)) ?? expect.fail('no linked headers');
    const below = byHash.get(upper.fields.parent) ?? expect.fail('no parent');
    const text = (one: HeaderVector): string => toBase64Url(encoded(bytesOf(one)));
    const ask = (items: HeaderVector[], next: string | null = null) =>
      withMainnet(
        () => ({ items: items.map(text), limit: items.length, next }),
        (node) => node.chain(upper.fields.chainId).encodedHeaders.branch({ upper: [upper.blockHash] }),
      );
    expect((await ask([upper, below])).items).toHaveLength(2);
    expect((await ask([upper], `inclusive:${below.blockHash}`)).items).toHaveLength(1);
    const wrong = mainnet.filter(
      ({ fields, blockHash }) =>
        fields.chainId === upper.fields.chainId && ![upper.blockHash, below.blockHash].includes(blockHash),
    );
    const stranger = wrong[0] ?? expect.fail('no other header of the chain');
    for (const [items, next] of [
      [[below], null],
      [[upper, stranger], null],
      [[upper], `inclusive:${stranger.blockHash}`],
    ] as const) {
      expect(await failureOf(ask([...items], next))).toMatchObject({ code: 'forged', message: /branch/ });
    }
  });
});

interface PayloadVector {
  readonly transactions: [string, string][];
  readonly coinbase: string;
  readonly payloadHash: string;
  readonly [field: string]: unknown;
}

/** Every object anywhere in `value` that is a whole payload with outputs. */
function payloadsIn(value: unknown): PayloadVector[] {
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Record<string, unknown>;
  const isPayload = typeof fields['coinbase'] === 'string' && typeof fields['payloadHash'] === 'string';
  const inside = Object.values(fields).flatMap(payloadsIn);
  return isPayload ? [value as PayloadVector, ...inside] : inside;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64url');
const FORTUNE = base64('{"events":[{"params":["","k:x",999999999],"name":"TRANSFER"}]}');

describe('N1: a payload', { tags: ['vectors'] }, () => {
  const all = vectorsArePresent ? payloadsIn(readVectors('interface-examples')) : [];
  const byHash = new Map(all.map((one) => [one.payloadHash, one]));
  const [first, second] = byHash.values();
  const real = () => first ?? expect.fail('no payload');
  const other = () => second ?? expect.fail('no other');
  const full = [...byHash.values()].find(({ transactions }) => transactions.length > 0);

  it('of a real chain is believed, alone and in a batch, with its outputs or without', async () => {
    const withoutOutputs = ({ coinbase: _, transactions, ...rest }: PayloadVector) => ({
      ...rest,
      transactions: transactions.map(([transaction]) => transaction),
    });
    await withMainnet(
      (path) => {
        const give: (one: PayloadVector) => object = path.includes('outputs') ? (one) => one : withoutOutputs;
        if (path.includes('batch')) return [...byHash.values()].map(give);
        const asked = byHash.get(path.split('/')[2] ?? '');
        return asked && give(asked);
      },
      async (node) => {
        const chain = node.chain(0);
        for (const hash of byHash.keys()) {
          expect((await chain.payload(hash)).payloadHash).toBe(hash);
          expect((await chain.payloadWithOutputs(hash)).payloadHash).toBe(hash);
        }
        const wanted = [...byHash.keys()].map((hash) => ({ hash, height: 1 }));
        expect(await chain.payloads(wanted)).toHaveLength(byHash.size);
        expect(await chain.payloadsWithOutputs(wanted)).toHaveLength(byHash.size);
        expect(await failureOf(chain.payloads(wanted.slice(1)))).toMatchObject({ code: 'forged' });
      },
    );
    expect(full).toBeDefined();
  });

  it.each<[string, () => object, RegExp]>([
    ['another payload', other, /which was not asked for/],
    ['one with another coinbase', () => ({ ...real(), coinbase: FORTUNE }), /outputsHash/],
    ['one whose outputs hash fits the coinbase', () => forgedWhole(real()), /payloadHash/],
    [
      'one with a transaction more',
      () => ({ ...real(), transactions: [['e30', 'e30']] }),
      /transactionsHash/,
    ],
    [
      'one that hides bytes from readers',
      () => ({ ...real(), coinbase: `${real().coinbase}!` }),
      /no Base64Url/,
    ],
  ])('is never money where it is %s', async (_, answer, words) => {
    const answers: Answers = (path) => (path.includes('batch') ? [answer()] : answer());
    await withMainnet(answers, async (node) => {
      const error = await failureOf(node.chain(0).payloadWithOutputs(real().payloadHash));
      expect(error).toMatchObject({ code: 'forged', message: expect.stringMatching(words) });
      const head = { height: 1, hash: toBase64Url(new Uint8Array(32)) };
      const followed = followedNode('n', node.chain(0), head);
      const asked = [{ payloadHash: real().payloadHash, height: 1 }];
      expect(await failureOf(Promise.resolve(followed.payloads(asked)))).toMatchObject({ code: 'forged' });
    });
  });

  function forgedWhole(payload: PayloadVector): object {
    const bytes = (text: string) => Buffer.from(text, 'base64url');
    const { outputsHash } = payloadHashesOf({
      minerData: new Uint8Array(0),
      transactions: [],
      coinbase: bytes(FORTUNE),
      outputs: payload.transactions.map(([, output]) => bytes(output)),
    });
    return { ...payload, coinbase: FORTUNE, outputsHash: toBase64Url(outputsHash) };
  }
});
