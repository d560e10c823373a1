/** One parameter at a time is wrong, generated, against the process: 400, and the body names it. Which there are, the table of endpoints says. */
import fc from 'fast-check';
import type { Dispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint, JSON_TYPE, pathParameters } from '../../src/chain/endpoint.js';
import { ENDPOINT_KEYS, ENDPOINTS } from '../../src/chain/endpoints.js';
import type { ParameterKind } from '../../src/chain/parameters.js';
import { ask } from '../devnode/helpers.js';
import { type NodeHere, startEasyHere } from '../devnode/process.js';
import { temporaryFolder } from '../helpers/folder.js';
import { askerOf, NOWHERE } from './asker.js';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let node: NodeHere;
/** A hash that chain 0 has. */
let known = '';
beforeAll(async () => {
  folder = await temporaryFolder();
  node = await startEasyHere('--backup-dir', folder.path);
  known = (await askerOf(() => node.url).head(0)).hash;
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** One parameter of an endpoint that is wrong in some way, the rest being good. */
interface Wrong {
  readonly named: string;
  readonly path: string;
  readonly json: unknown;
  readonly method: Dispatcher.HttpMethod;
}

const noNumber = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength: 30 }).filter((one) => !/^[0-9]{1,16}$/.test(one)),
    fc.integer({ max: -1 }).map(String),
    fc
      .double()
      .filter((one) => !Number.isInteger(one))
      .map(String),
    fc.constantFrom('99999999999999999', '9007199254740993', '1e3', '0x10', '٣'),
  );
const noHash = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ minLength: 1, maxLength: 60 }).filter((one) => one.length !== 43 && !one.includes('/')),
    fc.string({ minLength: 43, maxLength: 43 }).filter((one) => !/^[\w-]{43}$/.test(one)),
    fc.constantFrom('A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}+`),
  );
const noHashInJson = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    noHash(),
    fc.anything().filter((one) => typeof one !== 'string' && JSON.stringify(one) !== undefined),
  );
const noList = (): fc.Arbitrary<unknown> =>
  fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.dictionary(fc.string(), fc.integer()));

const inBody = (
  named: string,
  paths: fc.Arbitrary<string>,
  json: fc.Arbitrary<unknown>,
  method: Dispatcher.HttpMethod = 'POST',
): fc.Arbitrary<Wrong> =>
  fc.tuple(paths, json).map(([where, bad]) => ({ named, path: where, json: bad, method }));

const branchOf = (): fc.Arbitrary<string> =>
  fc.constantFrom('hash', 'header', 'block').map((what) => `/chain/0/${what}/branch`);
const fixed = (where: string): fc.Arbitrary<string> => fc.constant(where);
const mempoolAt = (): fc.Arbitrary<string> =>
  fc.constantFrom('member', 'lookup').map((one) => `/chain/0/mempool/${one}`);
const batchAt = (): fc.Arbitrary<string> =>
  fc.constantFrom('batch', 'outputs/batch').map((one) => `/chain/0/payload/${one}`);
/** What stands in a path as a segment of its own. */
const segmentOf = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  value.filter(
    (one) =>
      one !== '' && !/^\.{1,2}$/.test(one) && !one.includes('/') && one !== 'branch' && one !== 'batch',
  );

const noCursor = (): fc.Arbitrary<string> =>
  fc.oneof(
    noHash()
      .filter((one) => !/^[0-9]+$/.test(one))
      .map((one) => `inclusive:${one}`),
    fc.string().filter((one) => !/^(in|ex)clusive:/.test(one)),
  );
/** What a parameter of each kind is not. */
const NOT: Readonly<Record<ParameterKind, (() => fc.Arbitrary<string>) | undefined>> = {
  chain: noNumber,
  whole: noNumber,
  hash: noHash,
  cursor: noCursor,
  integer64: () => fc.constantFrom('x', '', '1.5', `${1n << 63n}`),
  boolean: () => fc.string().filter((one) => !/^(true|false)$/i.test(one)),
  // Refused with 404, and taken whatever it is.
  backupId: undefined,
  flag: undefined,
};
const GOOD: Readonly<Record<string, string>> = { chain: '0', blockHash: NOWHERE, payloadHash: NOWHERE };
const pathWith = ({ path }: Endpoint, values: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? GOOD[name] ?? 'x'));

/** Of each row of the table, each parameter of its path and of its query. */
const OF_ROWS = ENDPOINT_KEYS.flatMap((key): [string, Endpoint, string, fc.Arbitrary<string>][] => {
  const endpoint: Endpoint = ENDPOINTS[key];
  const { path, query, method } = endpoint;
  const ofPath = pathParameters(path).flatMap(([name, kind]) => {
    // There a chain that is none is not there: 404.
    const bad = kind === 'chain' && endpoint.isSilent ? undefined : NOT[kind]?.();
    return bad ? [[name, segmentOf(bad).map((one) => pathWith(endpoint, { [name]: one }))] as const] : [];
  });
  const ofQuery = Object.entries(query).flatMap(([name, kind]) => {
    const bad = NOT[kind]?.();
    const good = pathWith(endpoint, {});
    return bad ? [[name, bad.map((one) => `${good}?${name}=${encodeURIComponent(one)}`)] as const] : [];
  });
  return [...ofPath, ...ofQuery].map(([name, where]) => [
    `${name} of ${method} ${path}`,
    endpoint,
    name,
    where,
  ]);
});

const rowsWith = (isOne: (endpoint: Endpoint) => boolean): [string, Endpoint][] =>
  ENDPOINT_KEYS.map((key): [string, Endpoint] => [key, ENDPOINTS[key]]).filter(([, one]) => isOne(one));
const WITH_JSON = rowsWith(({ body }) => body?.type === JSON_TYPE);
const WITH_ENCODINGS = rowsWith(({ encodings }) => encodings.length > 1);

const MINER_FIELDS = { account: 'a', predicate: 'keys-all', 'public-keys': ['aa'] };
const ADDRESS = { hostname: '192.0.2.1', port: 1 };

/** In bodies. */
const WRONG: readonly [what: string, fc.Arbitrary<Wrong>][] = [
  [
    'upper',
    inBody(
      'upper',
      branchOf(),
      noList().map((upper) => ({ upper })),
    ),
  ],
  [
    'lower',
    inBody(
      'lower',
      branchOf(),
      noList().map((lower) => ({ lower, upper: [] })),
    ),
  ],
  [
    'an entry of upper',
    inBody(
      'upper[1]',
      branchOf(),
      noHashInJson().map((bad) => ({ upper: [known, bad] })),
    ),
  ],
  [
    'an entry of lower',
    inBody(
      'lower[0]',
      branchOf(),
      noHashInJson().map((bad) => ({ lower: [bad] })),
    ),
  ],
  [
    'hashes',
    inBody(
      'hashes',
      batchAt(),
      noList().map((hashes) => ({ hashes, heights: [] })),
    ),
  ],
  [
    'an entry of hashes',
    inBody(
      'hashes[0]',
      batchAt(),
      noHashInJson().map((bad) => ({ hashes: [bad], heights: [] })),
    ),
  ],
  [
    'heights',
    inBody(
      'heights',
      batchAt(),
      noList().map((heights) => ({ hashes: [], heights })),
    ),
  ],
  [
    'a request key',
    inBody(
      'request key 0',
      mempoolAt(),
      noHashInJson().map((bad) => [bad]),
    ),
  ],
  ['a list of keys', inBody('list', mempoolAt(), noList())],
  [
    'a transaction',
    inBody(
      'transaction 0',
      fixed('/chain/0/mempool/insert'),
      fc.string().map((bad) => [bad]),
      'PUT',
    ),
  ],
  [
    'account',
    inBody(
      'account',
      fixed('/mining/work'),
      noList()
        .filter((one) => typeof one !== 'string')
        .map((account) => ({ ...MINER_FIELDS, account })),
      'GET',
    ),
  ],
  [
    'predicate',
    inBody(
      'predicate',
      fixed('/mining/work'),
      fc
        .anything()
        .map((predicate) => ({ ...MINER_FIELDS, predicate: String(Object.keys(Object(predicate))) })),
      'GET',
    ),
  ],
  [
    'public-keys',
    inBody(
      'public-keys',
      fixed('/mining/work'),
      noList().map((keys) => ({ ...MINER_FIELDS, 'public-keys': keys })),
      'GET',
    ),
  ],
  [
    'origin',
    inBody(
      'origin',
      fixed('/cut'),
      fc.dictionary(fc.string(), fc.integer()).map(({ origin: _, ...rest }) => rest),
      'PUT',
    ),
  ],
  [
    'port of a peer',
    inBody(
      'port',
      fixed('/cut/peer'),
      fc
        .oneof(fc.integer({ max: 0 }), fc.integer({ min: 65_536 }), fc.string())
        .map((port) => ({ address: { ...ADDRESS, port } })),
      'PUT',
    ),
  ],
];

describe('one wrong parameter', () => {
  it.each(OF_ROWS)('%s: 400, and the body names it', async (_what, { method, body }, named, wrong) => {
    const json = body?.type === JSON_TYPE ? { json: {} } : {};
    await fc.assert(
      fc.asyncProperty(wrong, async (where) => {
        const answer = await ask(node.url + where, { method, ...json });
        expect([answer.status, answer.text], where).toEqual([400, expect.stringContaining(named)]);
      }),
      { numRuns: 20 },
    );
  });

  it.each(WRONG)('%s: 400, and the body names it', async (_what, wrong) => {
    await fc.assert(
      fc.asyncProperty(wrong, async ({ named, path: where, json, method }) => {
        const answer = await ask(node.url + where, { method, json });
        expect([answer.status, answer.text], where).toEqual([400, expect.stringContaining(named)]);
      }),
      { numRuns: 40 },
    );
  });

  it.each(WITH_JSON)('%s: bytes that are no JSON are 400, another content type 415', async (_, endpoint) => {
    const noJson = fc.uint8Array({ maxLength: 100 }).filter((bytes) => !isJson(bytes));
    const url = node.url + pathWith(endpoint, {});
    const send = (contentType: string, body: Uint8Array): ReturnType<typeof ask> =>
      ask(url, { method: endpoint.method, body, headers: { 'content-type': contentType } });
    await fc.assert(
      fc.asyncProperty(noJson, fc.constantFrom('text/plain', 'application/xml', 'x'), async (bytes, type) => {
        expect(await send(JSON_TYPE, bytes)).toMatchObject({
          status: 400,
          text: expect.stringContaining('JSON'),
        });
        expect((await send(type, bytes)).status).toBe(415);
      }),
      { numRuns: 20 },
    );
  });

  it.each(WITH_ENCODINGS)('%s: an encoding that is not offered is 406', async (_, endpoint) => {
    const { method, body } = endpoint;
    const answer = await ask(node.url + pathWith(endpoint, {}), {
      method,
      ...(body ? { json: {} } : {}),
      headers: { accept: 'image/png' },
    });
    expect(answer.status).toBe(406);
  });
});

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString('utf8'));
    return true;
  } catch {
    return false; // that is what is asked for
  }
}
