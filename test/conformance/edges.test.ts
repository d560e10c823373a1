/** Statements of the interface at their edges: odd hashes, absent chains, HEAD, empty lists. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DevNode } from '../../src/devnode/dev-node.js';
import { ask, MINER, mineMany, startEasyNode } from '../devnode/helpers.js';
import { temporaryFolder } from '../helpers/folder.js';

let node: DevNode;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  node = await startEasyNode({
    ...{ backupDir: `${folder.path}/backups`, dataDir: `${folder.path}/data` },
    control: { host: '127.0.0.1', port: 0 },
  });
  await mineMany(node, 20);
});
afterAll(async () => {
  await node.close();
  await folder[Symbol.asyncDispose]();
});

const NOT_FOUND = { key: expect.stringMatching(/^[a-zA-Z0-9_-]{43}$/), reason: expect.stringMatching(/./) };

/** Another text of the same 32 bytes: its last character has other unused bits. */
function aliasOf(hash: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = letters.indexOf(hash.at(-1) ?? '');
  return hash.slice(0, -1) + letters[last ^ 1];
}

it('N15: a text that fits the pattern and is nobody’s hash is not found, and is no bad request', async () => {
  const { hashes } = (await ask(`${node.url}/cut`)).json<{ hashes: Record<string, { hash: string }> }>();
  const hash = hashes['0']?.hash ?? '';
  const { payloadHash } = (
    await ask(`${node.url}/chain/0/header/${hash}`, {
      headers: { accept: 'application/json;blockheader-encoding=object' },
    })
  ).json<{ payloadHash: string }>();
  for (const text of [aliasOf(hash), `${'A'.repeat(42)}B`]) {
    const answer = await ask(`${node.url}/chain/0/header/${text}`);
    expect([answer.status, answer.json()]).toEqual([404, { ...NOT_FOUND, key: text }]);
    const branch = await ask(`${node.url}/chain/0/hash/branch`, { method: 'POST', json: { upper: [text] } });
    expect([branch.status, branch.json()]).toEqual([404, { ...NOT_FOUND, key: text }]);
  }
  const payload = await ask(`${node.url}/chain/0/payload/${aliasOf(payloadHash)}`);
  expect([payload.status, payload.json()]).toEqual([404, { ...NOT_FOUND, key: aliasOf(payloadHash) }]);
});

it.each([
  '/chain/0/hash?minheight=999',
  '/chain/0/header?maxheight=999',
  '/chain/0/block?minheight=999',
  '/chain/15/hash',
  '/chain/15/header',
  `/chain/15/header/${'A'.repeat(43)}`,
  `/chain/15/payload/${'A'.repeat(43)}`,
  '/chain/15/block',
])('N16: not found has key and reason: %s', async (path) => {
  const answer = await ask(node.url + path);
  expect([answer.status, answer.json()]).toEqual([404, NOT_FOUND]);
  expect(answer.headers['content-type']).toContain('application/json');
});

it.each([
  ['GET', '/%63ut', 200],
  ['GET', '/chain/0/%68%65ader', 200],
  ['GET', '/chain/%30/header', 200],
  ['POST', '/chain/0/m%65mpool/getPending', 200],
  ['DELETE', '/%63ut', 405],
  ['GET', '/chain/0/h%65ader/branch%2f', 400],
  ['GET', '/nowh%65re', 404],
] as const)('a path is the same in codes: %s %s is %i', async (method, path, status) => {
  const answer = await ask(node.url + path, { method });
  expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
});

it('codes in lower case are those in upper case', async () => {
  const { items } = (await ask(`${node.url}/chain/0/hash`)).json<{ items: string[] }>();
  const hash = items.at(-1) ?? '';
  const coded = (hex: (text: string) => string): string =>
    Array.from(Buffer.from(hash), (byte) => `%${hex(byte.toString(16))}`).join('');
  const [lower, upper] = await Promise.all([
    ask(`${node.url}/chain/0/header/${coded((text) => text.toLowerCase())}`),
    ask(`${node.url}/chain/0/header/${coded((text) => text.toUpperCase())}`),
  ]);
  expect([lower.status, lower.text]).toEqual([200, upper.text]);
});

it.each([
  ['[[[', 400],
  ['', 400],
  ['a..b', 400],
  ['-a', 400],
  ['x'.repeat(254), 400],
  ['node-1.example', 204],
  ['192.0.2.1', 204],
  ['2001:db8::1', 204],
])('a peer is called by a domain name or an address: %s is %i', async (hostname, status) => {
  const json = { id: null, address: { hostname, port: 1 } };
  const answer = await ask(`${node.url}/cut/peer`, { method: 'PUT', json });
  expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
});

describe('N17', () => {
  it.each(['/cut', '/info', '/chain/0/hash', '/health-check', '/header/updates', '/mining/updates'])(
    'HEAD is answered where GET is, without a body and at once: %s',
    async (path) => {
      const answer = await ask(node.url + path, { method: 'HEAD' });
      expect([answer.status, answer.bytes.length]).toEqual([200, 0]);
      expect(answer.headers['x-ledger-node-version']).toBeDefined();
    },
  );

  it('an empty list of public keys is refused', async () => {
    const answer = await ask(`${node.url}/mining/work`, { json: { ...MINER, 'public-keys': [] } });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('public-keys')]);
  });

  it.each(['a.b', 'x'.repeat(65), 'never'])('there is no backup %s', async (id) => {
    expect((await ask(`${node.url}/check-backup/${id}`)).status).toBe(404);
  });
});

it.each([-1, 1.5])('a rewind to height %d is a bad request', async (height) => {
  const answer = await ask(`${node.controlUrl}/rewind`, { method: 'POST', json: { height } });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('height')]);
});
