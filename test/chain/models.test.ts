/** The public examples of the interface read with the models, value by value. */
import { createParser } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decodeHeaderText } from '../../src/chain/encoded-header.js';
import { parseExactJson } from '../../src/chain/json.js';
import {
  blockEventModel,
  blockModel,
  CURSOR,
  configModel,
  cutModel,
  HASH as HASH_PATTERN,
  type HeaderObject,
  hashModel,
  headerEventModel,
  headerModel,
  infoModel,
  lookupModel,
  memberModel,
  notFoundModel,
  pageModel,
  payloadModel,
  payloadsModel,
  payloadsWithOutputsModel,
  payloadWithOutputsModel,
  peerModel,
  pendingModel,
} from '../../src/chain/models.js';
import { PARAMETERS } from '../../src/chain/parameters.js';
import { MOST_CHAINS } from '../../src/core/work/chain-ids.js';
import { chainGraph } from '../../src/devnode/consensus/chain-graph.js';
import { readVectors, vectorsArePresent } from '../helpers/runner/vectors.js';

interface Example {
  readonly name: string;
  readonly value: unknown;
}
interface Response {
  readonly status: number;
  readonly contentType: string | null;
  readonly examples: readonly Example[];
}
interface Endpoint {
  readonly path: string;
  readonly method: string;
  readonly responses: readonly Response[];
}

const encoded = z.string().transform(decodeHeaderText);
const pageOf = (item: z.ZodType): z.ZodType =>
  pageModel.transform(({ items }) => items.map((one) => item.parse(one)));
const OBJECTS = 'application/json;blockheader-encoding=object';
const chain = '/chain/{chain}';

/** Method, path and, where it matters, content type -> model of a success. */
const MODELS: Readonly<Record<string, z.ZodType>> = {
  'GET /cut': cutModel,
  'GET /cut/peer': pageOf(peerModel),
  [`GET ${chain}/hash`]: pageOf(hashModel),
  [`POST ${chain}/hash/branch`]: pageOf(hashModel),
  [`GET ${chain}/block`]: pageOf(blockModel),
  [`POST ${chain}/block/branch`]: pageOf(blockModel),
  [`GET ${chain}/header`]: pageOf(encoded),
  [`GET ${chain}/header ${OBJECTS}`]: pageOf(headerModel),
  [`GET ${chain}/header/{blockHash}`]: encoded,
  [`GET ${chain}/header/{blockHash} ${OBJECTS}`]: headerModel,
  [`POST ${chain}/header/branch`]: pageOf(encoded),
  [`POST ${chain}/header/branch ${OBJECTS}`]: pageOf(headerModel),
  [`GET ${chain}/payload/{payloadHash}`]: payloadModel,
  [`POST ${chain}/payload/batch`]: payloadsModel,
  [`GET ${chain}/payload/{payloadHash}/outputs`]: payloadWithOutputsModel,
  [`POST ${chain}/payload/outputs/batch`]: payloadsWithOutputsModel,
  [`POST ${chain}/mempool/getPending`]: pendingModel,
  [`POST ${chain}/mempool/member`]: memberModel,
  [`POST ${chain}/mempool/lookup`]: lookupModel,
  [`GET ${chain}/mempool/peer`]: pageOf(peerModel),
  'GET /config': configModel,
  'GET /info': infoModel,
};

describe('the public examples', { tags: ['vectors'] }, () => {
  const { endpoints } = vectorsArePresent
    ? readVectors<{ endpoints: readonly Endpoint[] }>('interface-examples')
    : { endpoints: [] };
  const examples = endpoints.flatMap(({ method, path, responses }) =>
    responses.flatMap(({ status, contentType, examples: list }) =>
      list.map((example) => ({ key: `${method} ${path}`, status, contentType, ...example })),
    ),
  );

  it('are all read, where they are JSON', () => {
    const json = examples.filter(({ contentType }) => contentType?.startsWith('application/json'));
    expect(json.length).toBeGreaterThan(20);
    for (const { key, status, contentType, name, value } of json) {
      const model = status === 404 ? notFoundModel : (MODELS[`${key} ${contentType}`] ?? MODELS[key]);
      expect(model, key).toBeDefined();
      // Through text, as it comes from a node.
      const read = model?.safeParse(parseExactJson(JSON.stringify(value)));
      expect(read?.error?.issues ?? [], `${key} ${status} ${contentType}: ${name}`).toEqual([]);
    }
  });

  it.each([
    ['/header/updates', headerEventModel],
    ['/block/updates', blockEventModel],
  ])('each event of %s', (path, model) => {
    const { value } = examples.find(({ key }) => key === `GET ${path}`) ?? {};
    const events: string[] = [];
    const parser = createParser({ onEvent: ({ data }) => void events.push(data) });
    parser.feed(`${value}\n\n`);
    expect(events.length).toBeGreaterThan(0);
    for (const data of events) expect(model.safeParse(parseExactJson(data)).error?.issues ?? []).toEqual([]);
  });

  it('are all looked at', () => {
    const keys = new Set(examples.filter(({ status }) => status === 200).map(({ key }) => key));
    const others = ['GET /mining/updates', 'GET /header/updates', 'GET /block/updates', 'GET /health-check'];
    expect([...keys].filter((key) => !(key in MODELS)).sort()).toEqual(others.sort());
  });
});

const HASH = 'A'.repeat(43);
const HEADER = {
  creationTime: 1,
  parent: HASH,
  height: 3,
  hash: HASH,
  chainId: 2,
  weight: HASH,
  adjacents: { 1: HASH },
  epochStart: 0,
  payloadHash: HASH,
  ledgerVersion: 'a',
  target: HASH,
  nonce: '18446744073709551615',
};

describe('models', () => {
  it('take a header with either name of its version, and without flags', () => {
    const { ledgerVersion, ...unnamed } = HEADER;
    expect(headerModel.parse(HEADER).ledgerVersion).toBe(ledgerVersion);
    expect(headerModel.safeParse(unnamed).error?.issues[0]?.message).toMatch(/the name of the network/);
    expect(headerModel.parse({ ...unnamed, chainwebVersion: 'b', more: 1 })).toMatchObject({
      ledgerVersion: 'b',
      featureFlags: '0',
      nonce: '18446744073709551615',
      more: 1,
    });
  });

  it('keep feature flags beyond 2^53 exactly, and can be written as JSON', () => {
    const text = JSON.stringify(HEADER);
    const header = headerModel.parse(
      parseExactJson(text.replace('{', '{"featureFlags":9007199254740993001,')),
    );
    expect(header).toMatchObject({ featureFlags: '9007199254740993001', nonce: '18446744073709551615' });
    expect(JSON.parse(JSON.stringify(header))).toEqual(header);
  });

  it('let unknown fields through, and no type of ours knows them', () => {
    const header: HeaderObject = headerModel.parse({ ...HEADER, heigth: 4 });
    // @ts-expect-error: a name that is misspelt does not compile.
    expect(header.heigth).toBe(4);
  });

  it('take a block by either key of its header, and without payload', () => {
    for (const key of ['header', 'blockHeader']) {
      expect(blockModel.parse({ [key]: HEADER, payloadWithOutputs: null })).toMatchObject({
        header: { height: 3 },
        payloadWithOutputs: null,
      });
    }
    expect(blockModel.safeParse({ payloadWithOutputs: null }).error?.issues[0]?.message).toBe(
      'a block needs a header',
    );
  });

  it('CH22: a hash, a cursor and a chain are the same in models, in paths and in networks', () => {
    expect(PARAMETERS.hash.schema).toMatchObject({ pattern: HASH_PATTERN.source });
    expect(PARAMETERS.cursor.schema).toMatchObject({ pattern: CURSOR.source });
    const rows = Array.from({ length: MOST_CHAINS }, (_, id) => [(id + 1) % MOST_CHAINS]);
    expect(PARAMETERS.chain.fits(String(rows.length - 1))).toBe(true);
    expect(PARAMETERS.chain.fits(String(rows.length))).toBe(false);
    expect(() => chainGraph([...rows, [0]])).toThrow(`must have 1 to ${MOST_CHAINS} chains`);
  });

  it.each([
    ['a hash of 42 characters', { parent: 'A'.repeat(42) }],
    ['a negative height', { height: -1 }],
    ['a height that is no integer', { height: 1.5 }],
    ['a time as text', { creationTime: '1' }],
    ['a nonce in hex', { nonce: '0xff' }],
    ['no target', { target: undefined }],
  ])('refuse %s', (_, wrong) => {
    expect(headerModel.safeParse({ ...HEADER, ...wrong }).success).toBe(false);
  });
});
