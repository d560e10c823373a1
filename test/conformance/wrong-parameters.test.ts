/** One parameter at a time is wrong, generated, against the process: 400, and the body names it. */
import fc from 'fast-check';
import type { Dispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  readonly json?: unknown;
  readonly method?: Dispatcher.HttpMethod;
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

const listing = (): fc.Arbitrary<string> => fc.constantFrom('hash', 'header', 'block');
const inQuery = (
  name: string,
  paths: fc.Arbitrary<string>,
  value: fc.Arbitrary<string>,
): fc.Arbitrary<Wrong> =>
  fc
    .tuple(paths, value)
    .map(([where, bad]) => ({ named: name, path: `${where}?${name}=${encodeURIComponent(bad)}` }));
const inBody = (
  named: string,
  paths: fc.Arbitrary<string>,
  json: fc.Arbitrary<unknown>,
  method: Dispatcher.HttpMethod = 'POST',
): fc.Arbitrary<Wrong> =>
  fc.tuple(paths, json).map(([where, bad]) => ({ named, path: where, json: bad, method }));

const branchOf = (): fc.Arbitrary<string> => listing().map((what) => `/chain/0/${what}/branch`);
const listingOf = (): fc.Arbitrary<string> => listing().map((what) => `/chain/0/${what}`);
const fixed = (where: string): fc.Arbitrary<string> => fc.constant(where);
const mempoolAt = (): fc.Arbitrary<string> =>
  fc.constantFrom('member', 'lookup').map((one) => `/chain/0/mempool/${one}`);
const batchAt = (): fc.Arbitrary<string> =>
  fc.constantFrom('batch', 'outputs/batch').map((one) => `/chain/0/payload/${one}`);
const inPath = (
  named: string,
  before: string,
  value: fc.Arbitrary<string>,
  after = '',
): fc.Arbitrary<Wrong> => value.map((bad) => ({ named, path: before + encodeURIComponent(bad) + after }));
/** What stands in a path as a segment of its own. */
const segmentOf = (value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  value.filter(
    (one) =>
      one !== '' && !/^\.{1,2}$/.test(one) && !one.includes('/') && one !== 'branch' && one !== 'batch',
  );

const MINER_FIELDS = { account: 'a', predicate: 'keys-all', 'public-keys': ['aa'] };
const ADDRESS = { hostname: '192.0.2.1', port: 1 };

/** Every parameter of every endpoint. */
const WRONG: readonly [what: string, fc.Arbitrary<Wrong>][] = [
  ['chain', inPath('chain', '/chain/', segmentOf(noNumber()), '/hash')],
  ['limit', inQuery('limit', listingOf(), noNumber())],
  ['minheight', inQuery('minheight', listingOf(), noNumber())],
  ['maxheight', inQuery('maxheight', listingOf(), noNumber())],
  [
    'next',
    inQuery(
      'next',
      listingOf(),
      noHash()
        .filter((one) => !/^[0-9]+$/.test(one))
        .map((one) => `inclusive:${one}`),
    ),
  ],
  [
    'next without its form',
    inQuery(
      'next',
      listingOf(),
      fc.string().filter((one) => !/^(in|ex)clusive:/.test(one)),
    ),
  ],
  ['blockHash', inPath('blockHash', '/chain/0/header/', segmentOf(noHash()))],
  ['payloadHash', inPath('payloadHash', '/chain/0/payload/', segmentOf(noHash()))],
  ['payloadHash with outputs', inPath('payloadHash', '/chain/0/payload/', segmentOf(noHash()), '/outputs')],
  ['height of a payload', inQuery('height', fixed(`/chain/0/payload/${NOWHERE}`), noNumber())],
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
    'nonce of a pool',
    inQuery('nonce', fixed('/chain/0/mempool/getPending'), fc.constantFrom('x', '', '1.5', `${1n << 63n}`)),
  ],
  [
    'since',
    inQuery('since', fixed('/chain/0/mempool/getPending'), fc.constantFrom('x', '', '1.5', `${1n << 63n}`)),
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
  ['maxheight of the cut', inQuery('maxheight', fixed('/cut'), noNumber())],
  ['limit of peers', inQuery('limit', fixed('/cut/peer'), noNumber())],
];

describe('one wrong parameter', () => {
  it.each(WRONG)('%s: 400, and the body names it', async (_what, wrong) => {
    await fc.assert(
      fc.asyncProperty(wrong, async ({ named, path: where, json, method }) => {
        const post = where.includes('getPending') ? 'POST' : 'GET';
        const answer = await ask(node.url + where, {
          method: method ?? post,
          ...(json === undefined ? {} : { json }),
        });
        expect([answer.status, answer.text], where).toEqual([400, expect.stringContaining(named)]);
      }),
      { numRuns: 40 },
    );
  });

  it.each(['/chain/0/hash/branch', '/chain/0/payload/batch', '/chain/0/mempool/member'])(
    '%s: bytes that are no JSON are 400, another content type 415',
    async (where) => {
      const noJson = fc.uint8Array({ maxLength: 100 }).filter((bytes) => !isJson(bytes));
      await fc.assert(
        fc.asyncProperty(
          noJson,
          fc.constantFrom('text/plain', 'application/xml', 'x'),
          async (bytes, type) => {
            const send = (contentType: string): ReturnType<typeof ask> =>
              ask(node.url + where, {
                method: 'POST',
                body: bytes,
                headers: { 'content-type': contentType },
              });
            expect(await send('application/json')).toMatchObject({
              status: 400,
              text: expect.stringContaining('JSON'),
            });
            expect((await send(type)).status).toBe(415);
          },
        ),
        { numRuns: 40 },
      );
    },
  );
});

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString('utf8'));
    return true;
  } catch {
    return false; // that is what is asked for
  }
}
