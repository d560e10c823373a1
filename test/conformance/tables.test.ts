/** Interface 7 and 8 against the process: every row of the tables of errors and of limits. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ask, askWork, postSolved, solve } from '../devnode/helpers.js';
import { LONG_CHAIN_FLAGS, writeLongChain } from '../devnode/long-chain.js';
import { type NodeHere, startEasyHere, startNodeHere } from '../devnode/process.js';
import { temporaryFolder } from '../helpers/folder.js';
import { askerOf, NOWHERE, OBJECT, type Page } from './asker.js';
import { grow } from './grown.js';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let node: NodeHere;
/** One chain of 5,000 blocks. */
let long: NodeHere;
let hash = '';
let payloadHash = '';

beforeAll(async () => {
  folder = await temporaryFolder();
  node = await startEasyHere('--graph', 'triangle', '--backup-dir', `${folder.path}/backups`);
  await grow(node, 3);
  ({ hash, payloadHash } = await head(0));
  await writeLongChain(`${folder.path}/long`, 5000);
  long = await startNodeHere('--data-dir', `${folder.path}/long`, ...LONG_CHAIN_FLAGS);
});
afterAll(async () => {
  await Promise.all([node, long].map((one) => one[Symbol.asyncDispose]()));
  await folder[Symbol.asyncDispose]();
});

const { get, post, head } = askerOf(() => node.url);
const NOT_FOUND = { key: expect.stringMatching(/^[a-zA-Z0-9_-]{43}$/), reason: 'key not found' };

describe('7 errors', () => {
  it('200: all endpoints that read', async () => {
    const bounds = { upper: [hash], lower: [] };
    const batch = { hashes: [payloadHash], heights: [3] };
    const answers = await Promise.all([
      ...['hash', 'header', 'block'].map((what) => get(`/chain/0/${what}`)),
      ...['hash', 'header', 'block'].map((what) => post(`/chain/0/${what}/branch`, bounds)),
      get(`/chain/0/header/${hash}`),
      ...['', '/outputs'].map((rest) => get(`/chain/0/payload/${payloadHash}${rest}`)),
      ...['batch', 'outputs/batch'].map((rest) => post(`/chain/0/payload/${rest}`, batch)),
      post('/chain/0/mempool/getPending'),
      ...['member', 'lookup'].map((what) => post(`/chain/0/mempool/${what}`, [hash])),
      ...['/health-check', '/info', '/cut', '/cut/peer'].map((path) => get(path)),
      askWork(node),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  it('204: POST /mining/solved, a solution that is valid', async () => {
    const { bytes } = await askWork(node);
    expect((await postSolved(node, solve(bytes.subarray(36)))).status).toBe(204);
  });

  it.each(['header', 'block', 'hash'])(
    '400: %s/branch with more bounds than 32, in a sentence',
    async (what) => {
      for (const side of ['upper', 'lower']) {
        const body = { upper: [hash], [side]: new Array(33).fill(hash) };
        const answer = await post(`/chain/0/${what}/branch`, body);
        // The body of a 400 is not shown: a sentence that names what was too much.
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(`33 ${side} bounds`)]);
      }
    },
  );

  it.each(['', '/outputs'])('404: payload GET%s, no such hash', async (rest) => {
    const answer = await get(`/chain/0/payload/${NOWHERE}${rest}`);
    expect([answer.status, answer.json()]).toEqual([404, { key: NOWHERE, reason: 'key not found' }]);
  });

  it.each(['batch', 'outputs/batch'])('404: payload/%s, none matches', async (path) => {
    const answer = await post(`/chain/0/payload/${path}`, { hashes: [NOWHERE], heights: [1] });
    expect(answer.status).toBe(404);
  });

  it.each(['hash', 'header', 'block'])(
    '404: %s listing, nothing matches, or next or maxheight is not there',
    async (what) => {
      for (const query of [
        'minheight=900',
        'minheight=2&maxheight=1',
        `next=inclusive:${NOWHERE}`,
        'maxheight=900',
      ]) {
        const answer = await get(`/chain/0/${what}?${query}`);
        expect([answer.status, answer.json()]).toEqual([
          404,
          { key: expect.any(String), reason: expect.any(String) },
        ]);
      }
    },
  );

  it.each(['hash', 'header', 'block'])(
    '404: %s/branch, a bound or next that is not on the chain',
    async (what) => {
      const elsewhere = (await head(1)).hash;
      for (const body of [
        { upper: [NOWHERE] },
        { upper: [elsewhere] },
        { upper: [hash], lower: [NOWHERE] },
      ]) {
        const answer = await post(`/chain/0/${what}/branch`, body);
        expect([answer.status, answer.json()]).toEqual([404, NOT_FOUND]);
      }
      const next = await post(`/chain/0/${what}/branch?next=exclusive:${NOWHERE}`, { upper: [hash] });
      expect([next.status, next.json()]).toEqual([404, NOT_FOUND]);
    },
  );

  it('404: header/{blockHash}, no such block', async () => {
    const answer = await get(`/chain/0/header/${NOWHERE}`);
    expect([answer.status, answer.json()]).toEqual([404, NOT_FOUND]);
  });

  it('404: GET /check-backup/{backupId}, no such job', async () => {
    expect((await get('/check-backup/1')).status).toBe(404);
  });

  it('406: header endpoints and block/branch, an Accept that cannot be, in a sentence', async () => {
    const bounds = { upper: [hash] };
    for (const accept of ['text/html', 'application/json;blockheader-encoding=xml']) {
      const answers: Answer[] = await Promise.all([
        get('/chain/0/header', accept),
        get(`/chain/0/header/${hash}`, accept),
        get('/chain/0/block', accept),
        post('/chain/0/header/branch', bounds, accept),
        post('/chain/0/block/branch', bounds, accept),
      ]);
      for (const { status, text } of answers) {
        expect([status, text]).toEqual([406, expect.stringContaining(accept)]);
      }
    }
  });
});

describe('8 limits', () => {
  it.each(['x', '20', '-1', '1.5', '00000', '١'])(
    'chain: %s is 400, since it is not 0 to 19',
    async (chain) => {
      const answer = await get(`/chain/${encodeURIComponent(chain)}/hash`);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('chain')]);
    },
  );

  it('chain: 0 to 19, but not of this network, is 404', async () => {
    // What it is, is not shown; there is nothing of it here, hence 404.
    for (const chain of [3, 10, 19]) expect((await get(`/chain/${chain}/hash`)).status).toBe(404);
  });

  it.each([
    ['hash', 4096],
    ['header', 360],
    ['block', 360],
  ])('limit: a page of %s has at most %d, never more than asked for', async (what, most) => {
    for (const [asked, given] of [
      [1, 1],
      [7, 7],
      [100_000, most],
    ] as const) {
      const page = (await ask(`${long.url}/chain/0/${what}?limit=${asked}`)).json<Page>();
      expect([page.items.length, page.limit]).toEqual([given, given]);
    }
  });

  it.each(['-1', '99999999999999999999', '1.5', 'x', '', '0x10', '1e3'])(
    'limit: %s is 400',
    async (limit) => {
      const answer = await get(`/chain/0/hash?limit=${limit}`);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('limit')]);
    },
  );

  it.each([
    ['short', 'AAAA'],
    ['42 characters', 'A'.repeat(42)],
    ['44 characters', 'A'.repeat(44)],
    ['of another alphabet', '!'.repeat(43)],
    ['of the other Base64', `${'A'.repeat(42)}+`],
  ])('hash format: one that is %s is 400 and named, wherever it stands', async (_what, bad) => {
    const text = encodeURIComponent(bad);
    const cases: [Answer, string][] = [
      [await get(`/chain/0/header/${text}`), 'blockHash'],
      [await get(`/chain/0/payload/${text}`), 'payloadHash'],
      [await get(`/chain/0/payload/${text}/outputs`), 'payloadHash'],
      [await get(`/chain/0/hash?next=inclusive:${text}`), 'next'],
      [await post('/chain/0/hash/branch', { upper: [hash, bad] }), 'upper[1]'],
      [await post('/chain/0/header/branch', { lower: [bad] }), 'lower[0]'],
      [await post('/chain/0/payload/batch', { hashes: [bad] }), 'hashes[0]'],
      [await post('/chain/0/payload/outputs/batch', { hashes: [bad], heights: [1] }), 'hashes[0]'],
      [await post('/chain/0/mempool/member', [bad]), 'request key 0'],
      [await post('/chain/0/mempool/lookup', [bad]), 'request key 0'],
    ];
    for (const [answer, named] of cases) {
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(named)]);
    }
  });

  it.each([
    ['/chain/0/hash?limit=1&limit=2', 'limit'],
    ['/chain/0/hash?minheight=one', 'minheight'],
    ['/chain/0/hash?maxheight=1.5', 'maxheight'],
    ['/chain/0/hash?next=AAAA', 'next'],
    [`/chain/0/payload/${NOWHERE}?height=x`, 'height'],
    ['/cut?maxheight=-1', 'maxheight'],
    ['/cut/peer?next=x', 'next'],
  ])('parameters: GET %s is 400 and names %s', async (path, named) => {
    const answer = await get(path);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(named)]);
  });

  it.each([
    ['/chain/0/hash/branch', { upper: 'x' }, 'upper'],
    ['/chain/0/hash/branch', { upper: [1] }, 'upper[0]'],
    ['/chain/0/hash/branch', [], 'body'],
    ['/chain/0/payload/batch', { hashes: 1 }, 'hashes'],
    ['/chain/0/payload/batch', { heights: [-1] }, 'heights'],
    ['/chain/0/payload/outputs/batch', { hashes: [] }, 'heights'],
    ['/chain/0/payload/outputs/batch', { heights: [] }, 'hashes'],
  ])('parameters: POST %s %j is 400 and names %s', async (path, body, named) => {
    const answer = await post(path, body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(named)]);
  });

  it('malformed requests: broken JSON 400, another content type 415, another method 405', async () => {
    const url = `${node.url}/chain/0/hash/branch`;
    const json = { 'content-type': 'application/json' };
    expect((await ask(url, { method: 'POST', body: '{', headers: json })).status).toBe(400);
    expect((await ask(url, { method: 'POST', body: '{}' })).status).toBe(415);
    const wrong = await ask(url);
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'POST']);
  });

  it('peer port: 1 to 65535', async () => {
    for (const port of [0, 65_536, 1.5, '1', null]) {
      const json = { id: null, address: { hostname: '192.0.2.1', port } };
      const answer = await ask(`${node.url}/cut/peer`, { method: 'PUT', json });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('port')]);
    }
    const json = { id: null, address: { hostname: '192.0.2.1', port: 65_535 } };
    expect((await ask(`${node.url}/cut/peer`, { method: 'PUT', json })).status).toBe(204);
  });

  it('the three values of Accept, and their types in the answer', async () => {
    const types = ['application/json', OBJECT, 'application/octet-stream'];
    const answers = await Promise.all(types.map((type) => get(`/chain/0/header/${hash}`, type)));
    expect(answers.map(({ headers }) => headers['content-type'])).toEqual(types);
  });
});
