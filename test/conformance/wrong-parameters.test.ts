/** One parameter at a time is wrong, generated, in both dialects: 400, and the body names it. Which there are, the table of endpoints says. */
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint, JSON_TYPE, pathParameters } from '../../src/chain/endpoint.js';
import { ENDPOINT_KEYS, ENDPOINTS } from '../../src/chain/endpoints.js';
import type { ParameterKind } from '../../src/chain/parameters.js';
import { ask } from '../devnode/helpers.js';
import { type NodeHere, startEasyHere } from '../devnode/process.js';
import { temporaryFolder } from '../helpers/folder.js';
import { NOWHERE } from './asker.js';

/** One parameter of an endpoint that is wrong in some way, the rest being good. */
interface Wrong {
  readonly named: string;
  readonly to: Endpoint;
  readonly path: string;
  readonly json: unknown;
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

type Key = (typeof ENDPOINT_KEYS)[number];
const inBody = (named: string, keys: readonly Key[], json: fc.Arbitrary<unknown>): fc.Arbitrary<Wrong> =>
  fc.tuple(fc.constantFrom(...keys), json).map(([key, bad]) => {
    const to: Endpoint = ENDPOINTS[key];
    return { named, to, path: pathWith(to, {}), json: bad };
  });

const BRANCHES = ['hashBranch', 'headerBranch', 'blockBranch'] as const;
const LOOKUPS = ['member', 'lookup'] as const;
const BATCHES = ['payloads', 'payloadsWithOutputs'] as const;
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
      BRANCHES,
      noList().map((upper) => ({ upper })),
    ),
  ],
  [
    'lower',
    inBody(
      'lower',
      BRANCHES,
      noList().map((lower) => ({ lower, upper: [] })),
    ),
  ],
  [
    'an entry of upper',
    inBody(
      'upper[1]',
      BRANCHES,
      noHashInJson().map((bad) => ({ upper: [NOWHERE, bad] })),
    ),
  ],
  [
    'an entry of lower',
    inBody(
      'lower[0]',
      BRANCHES,
      noHashInJson().map((bad) => ({ lower: [bad] })),
    ),
  ],
  [
    'hashes',
    inBody(
      'hashes',
      BATCHES,
      noList().map((hashes) => ({ hashes, heights: [] })),
    ),
  ],
  [
    'an entry of hashes',
    inBody(
      'hashes[0]',
      BATCHES,
      noHashInJson().map((bad) => ({ hashes: [bad], heights: [] })),
    ),
  ],
  [
    'heights',
    inBody(
      'heights',
      BATCHES,
      noList().map((heights) => ({ hashes: [], heights })),
    ),
  ],
  [
    'a request key',
    inBody(
      'request key 0',
      LOOKUPS,
      noHashInJson().map((bad) => [bad]),
    ),
  ],
  ['a list of keys', inBody('list', LOOKUPS, noList())],
  [
    'a transaction',
    inBody(
      'transaction 0',
      ['insert'],
      fc.string().map((bad) => [bad]),
    ),
  ],
  [
    'account',
    inBody(
      'account',
      ['work'],
      noList()
        .filter((one) => typeof one !== 'string')
        .map((account) => ({ ...MINER_FIELDS, account })),
    ),
  ],
  [
    'predicate',
    inBody(
      'predicate',
      ['work'],
      fc
        .anything()
        .map((predicate) => ({ ...MINER_FIELDS, predicate: String(Object.keys(Object(predicate))) })),
    ),
  ],
  [
    'public-keys',
    inBody(
      'public-keys',
      ['work'],
      noList().map((keys) => ({ ...MINER_FIELDS, 'public-keys': keys })),
    ),
  ],
  [
    'origin',
    inBody(
      'origin',
      ['putCut'],
      fc.dictionary(fc.string(), fc.integer()).map(({ origin: _, ...rest }) => rest),
    ),
  ],
  [
    'port of a peer',
    inBody(
      'port',
      ['addCutPeer'],
      fc
        .oneof(fc.integer({ max: 0 }), fc.integer({ min: 65_536 }), fc.string())
        .map((port) => ({ address: { ...ADDRESS, port } })),
    ),
  ],
];

/** What a dialect takes in its own way. */
const TAKEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  chainweb: { predicate: 'real nodes hand out work for any' },
};

describe.each(['specification', 'chainweb'] as const)('one wrong parameter, %s', (profile) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let node: NodeHere;
  beforeAll(async () => {
    folder = await temporaryFolder();
    const ways = ['--backup-dir', folder.path, '--header-stream', 'true'];
    node = await startEasyHere('--profile', profile, ...ways);
  });
  afterAll(async () => {
    await node[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  /** On the port where the endpoint is. Who asks a peer port too often is told to wait, and waits. */
  const send = async ({ method, port }: Endpoint, path: string, what: object): ReturnType<typeof ask> => {
    for (;;) {
      const answer = await ask((port === 'peer' ? node.peerUrl : node.url) + path, { method, ...what });
      if (answer.status !== 429) return answer;
      await pause(100);
    }
  };
  const runs = ({ port }: Endpoint): { numRuns: number } => ({ numRuns: port === 'peer' ? 8 : 20 });

  it.each(OF_ROWS)('%s: 400, and the body names it', async (_what, endpoint, named, wrong) => {
    const json = endpoint.body?.type === JSON_TYPE ? { json: {} } : {};
    await fc.assert(
      fc.asyncProperty(wrong, async (where) => {
        const answer = await send(endpoint, where, json);
        expect([answer.status, answer.text], where).toEqual([400, expect.stringContaining(named)]);
      }),
      runs(endpoint),
    );
  });

  const ofDialect = WRONG.filter(([what]) => !(what in (TAKEN[profile] ?? {})));
  it.each(ofDialect)('%s: 400, and the body names it', async (_what, wrong) => {
    await fc.assert(
      fc.asyncProperty(wrong, async ({ named, to, path: where, json }) => {
        const answer = await send(to, where, { json });
        expect([answer.status, answer.text], where).toEqual([400, expect.stringContaining(named)]);
      }),
      { numRuns: 20 },
    );
  });

  it.each(WITH_JSON)('%s: bytes that are no JSON are 400, another content type 415', async (_, endpoint) => {
    const noJson = fc.uint8Array({ maxLength: 100 }).filter((bytes) => !isJson(bytes));
    const sendAs = (contentType: string, body: Uint8Array): ReturnType<typeof ask> =>
      send(endpoint, pathWith(endpoint, {}), { body, headers: { 'content-type': contentType } });
    await fc.assert(
      fc.asyncProperty(noJson, fc.constantFrom('text/plain', 'application/xml', 'x'), async (bytes, type) => {
        expect(await sendAs(JSON_TYPE, bytes)).toMatchObject({
          status: 400,
          text: expect.stringContaining('JSON'),
        });
        expect((await sendAs(type, bytes)).status).toBe(415);
      }),
      runs(endpoint),
    );
  });

  it.each(WITH_ENCODINGS)('%s: an encoding that is not offered is 406', async (_, endpoint) => {
    const json = endpoint.body ? { json: {} } : {};
    const answer = await send(endpoint, pathWith(endpoint, {}), {
      ...json,
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
