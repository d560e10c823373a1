/** Profile chainweb against the process: table D of the protocol notes, but what is read of blocks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askWork, MINER, mineOne, postSolved, solve } from '../../devnode/helpers.js';
import { LONG_CHAIN_FLAGS } from '../../devnode/long-chain.js';
import { type NodeHere, startEasyHere, startNodeHere } from '../../devnode/process.js';
import { newTransaction } from '../../helpers/books/transactions.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { until } from '../../helpers/until.js';
import { askerOf, type Header, NOWHERE, type Page } from '../asker.js';
import { grow } from '../grown.js';
import { rawAsk, rawStream } from '../raw.js';

let node: NodeHere;
/** One chain, with everything as it is by default. */
let plain: NodeHere;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  const streams = ['--header-stream', 'true', '--payload-refresh', '50ms'];
  const state = ['--backup-dir', `${folder.path}/backups`];
  node = await startEasyHere('--profile', 'chainweb', ...streams, ...state);
  await grow(node, 10);
  plain = await startNodeHere('--profile', 'chainweb', ...LONG_CHAIN_FLAGS);
});
afterAll(async () => {
  await Promise.all([node, plain].map((one) => one[Symbol.asyncDispose]()));
  await folder[Symbol.asyncDispose]();
});

const service = askerOf(() => node.url);
const peers = askerOf(() => node.peerUrl);
const rootOf = (url: string): string => new URL(url).origin;

describe('table D: the node', () => {
  it('header names: version and timestamp everywhere, the peer address on the peer port only', async () => {
    for (const path of ['/cut', '/nowhere', '/chain/x/header']) {
      const service = await rawAsk(node.url + path);
      const peer = await rawAsk(node.peerUrl + path);
      for (const { headers } of [service, peer]) {
        expect(headers.get('x-chainweb-node-version')).toBe('0.2.0');
        expect(headers.get('x-server-timestamp')).toMatch(/^\d{10}$/);
        expect(headers.has('x-ledger-node-version')).toBe(false);
      }
      expect(service.headers.has('x-peer-addr')).toBe(false);
      expect(service.headers.get('server')).toBe('Chainweb Service API');
      expect(peer.headers.get('x-peer-addr')).toBe(peer.from);
    }
  });

  it('CORS is open on the service port', async () => {
    expect((await service.get('/cut')).headers['access-control-allow-origin']).toBe('*');
    expect((await peers.get('/cut')).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('framework-level errors: 400 text, 404 empty, 405, 406, 415', async () => {
    for (const path of ['/chain/0/header/short', '/chain/0/hash?limit=x', '/chain/x/hash']) {
      const bad = await service.get(path);
      expect([bad.status, bad.headers['content-type']]).toEqual([400, 'text/plain;charset=utf-8']);
    }
    const nowhere = await service.get('/nowhere');
    expect([nowhere.status, nowhere.text]).toEqual([404, '']);
    expect((await ask(`${node.url}/chain/0/hash`, { method: 'POST' })).status).toBe(405);
    expect((await service.get('/chain/0/header', 'text/html')).status).toBe(406);
    const text = { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } } as const;
    expect((await ask(`${node.url}/chain/0/hash/branch`, text)).status).toBe(415);
  });

  it('mempool: insert 200 empty, 400 text for what is refused; a signed 64-bit nonce; lookup as tagged', async () => {
    const one = newTransaction('mempool');
    const inserted = await peers.put('/chain/9/mempool/insert', [one.text]);
    expect([inserted.status, inserted.text]).toEqual([200, '']);
    const bad = await peers.put('/chain/9/mempool/insert', ['nonsense']);
    expect([bad.status, bad.headers['content-type']]).toEqual([400, 'text/plain;charset=utf-8']);
    const pending = (await peers.post('/chain/9/mempool/getPending', {})).text;
    const [, nonce = '', since] = /"highwaterMark":\[(-?\d+),(\d+)\]/.exec(pending) ?? [];
    expect(BigInt.asIntN(64, BigInt(nonce))).toBe(BigInt(nonce));
    const rest = async (query: string): Promise<unknown> =>
      (await peers.post(`/chain/9/mempool/getPending?${query}`, {})).json<{ hashes: string[] }>().hashes;
    expect(await rest(`nonce=${nonce}&since=${since}`)).toEqual([]);
    expect(await rest(`nonce=${nonce}`)).toEqual([one.key]);
    expect(await rest(`since=${since}`)).toEqual([one.key]);
    expect((await peers.post('/chain/9/mempool/lookup', [NOWHERE, one.key])).json()).toEqual([
      { tag: 'Missing' },
      { tag: 'Pending', contents: one.text },
    ]);
    expect((await peers.post('/chain/9/mempool/member', [NOWHERE, one.key])).json()).toEqual([false, true]);
  });

  it('request key: the hash of the cmd text; another one is refused', async () => {
    const { text } = newTransaction('key');
    const lying = JSON.stringify({ ...(JSON.parse(text) as object), hash: NOWHERE });
    expect((await peers.put('/chain/9/mempool/insert', [lying])).status).toBe(400);
  });

  it('cut: its keys, maxheight; PUT 204, 400 and 401 in the words of real nodes', async () => {
    const cut = (await service.get('/cut')).json<Record<string, unknown>>();
    expect(Object.keys(cut).sort()).toEqual(['hashes', 'height', 'id', 'instance', 'origin', 'weight']);
    expect(cut['origin']).toBeNull();
    expect((await service.get('/cut?maxheight=10')).json()).toMatchObject({ height: 10 });
    const noOrigin = await peers.put('/cut', cut);
    expect([noOrigin.status, noOrigin.text]).toEqual([400, 'Cut is missing an origin entry']);
    const stranger = {
      ...cut,
      headers: {},
      payloads: {},
      origin: { id: null, address: { hostname: 'x', port: 1 } },
    };
    const unknown = await peers.put('/cut', stranger);
    expect([unknown.status, unknown.text]).toEqual([401, 'Unknown peer']);
  });

  it.each(['/cut/peer', '/chain/3/mempool/peer'])('peers: GET and PUT %s, pages by number', async (path) => {
    for (let port = 1; port <= 5; port++) {
      const peer = { id: null, address: { hostname: '192.0.2.1', port } };
      expect((await peers.put(path, peer)).status).toBe(204);
    }
    const first = (await peers.get(`${path}?limit=2`)).json<Page<object>>();
    expect([first.limit, first.next]).toEqual([2, 'inclusive:2']);
    const rest = (await peers.get(`${path}?next=${first.next}`)).json<Page<object>>();
    expect([...first.items, ...rest.items]).toHaveLength(5);
    expect(rest.next).toBeNull();
    const bad = await peers.put(path, { id: null, address: { hostname: '!', port: 1 } });
    expect([bad.status, bad.text]).toEqual([400, expect.stringMatching(/^Invalid hostaddress: /)]);
  });

  it('peers: 64 on a page by default, 512 at most', async () => {
    await using fresh = await startNodeHere('--profile', 'chainweb', ...manyPeers(600));
    const count = async (query: string): Promise<number> =>
      (await ask(`${fresh.peerUrl}/cut/peer${query}`)).json<Page<object>>().limit;
    expect([await count(''), await count('?limit=600')]).toEqual([64, 512]);
  });

  it('make-backup is 202 with microseconds since the epoch as id; check-backup knows it', async () => {
    const made = await ask(`${node.url}/make-backup`, { method: 'POST' });
    expect([made.status, made.text]).toEqual([202, expect.stringMatching(/^\d{16}$/)]);
    expect(Math.abs(Number(made.text) / 1000 - Date.now())).toBeLessThan(60_000);
    await until(
      'it is done',
      async () => (await service.get(`/check-backup/${made.text}`)).text === 'backup-done',
    );
  });

  it('health-check: with a newline at its end', async () => {
    expect((await ask(`${node.rootUrl}/health-check`)).text).toBe('Health check OK.\n');
  });

  it('/info: the further fields of real nodes', async () => {
    expect((await ask(`${node.rootUrl}/info`)).json()).toMatchObject({
      nodePackageVersion: '0.2.0',
      nodeLatestBehaviorHeight: expect.any(Number),
      nodeGenesisHeights: expect.arrayContaining([['3', 0]]),
      nodeHistoricalChains: expect.any(Array),
      nodeBlockDelay: 1000,
      nodeNumberOfChains: 10,
    });
    expect((await ask(`${plain.rootUrl}/info`)).json()).toMatchObject({ nodeNumberOfChains: 1 });
  });

  it('/config: the keys of real nodes, with blanks where secrets would be', async () => {
    const config = (await ask(`${rootOf(node.peerUrl)}/config`)).json<Record<string, unknown>>();
    for (const key of ['pactQueueSize', 'fullHistoricPactState', 'onlySyncPact', 'syncPactChains']) {
      expect(config).toHaveProperty(key);
    }
    expect(config).toMatchObject({ mining: { coordination: { enabled: true, miners: [] } } });
    expect(config['serviceApi']).toEqual({ interface: '', port: 0 });
    expect(config['throttling']).toEqual({ global: 50, mempool: 20, putPeer: 11 });
    expect(JSON.stringify(config)).not.toMatch(/PRIVATE KEY|CERTIFICATE/);
  });

  it('header/updates: off by default; only blocks that join the cut after the connection', async () => {
    for (const path of ['/header/updates', '/block/updates'])
      expect((await ask(plain.url + path)).status).toBe(404);
    const chain = await openChain();
    const late = (await askWork(node, chain, { ...MINER, account: 'orphan' })).bytes.subarray(36);
    using stream = await rawStream(`${node.url}/header/updates`);
    await mineOne(node, chain);
    await postSolved(node, solve(late));
    await mineOne(node);
    const events = await stream.until('two blocks', (text) => text.split('\n\n').length === 3);
    const data = events
      .trim()
      .split('\n\n')
      .map((event) => JSON.parse(event.split('\ndata:')[1] ?? '') as { header: Header; powHash: string });
    const { hashes } = (await service.get('/cut')).json<{ hashes: Record<string, { hash: string }> }>();
    const heads = Object.values(hashes).map(({ hash }) => hash);
    for (const { header, powHash } of data) {
      expect(heads).toContain(header.hash);
      expect(powHash).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  it('prefix: /chainweb/0.0/<network>', () => {
    for (const url of [node.url, node.peerUrl])
      expect(new URL(url).pathname).toBe('/chainweb/0.0/development');
  });
});

function manyPeers(count: number): string[] {
  return Array.from({ length: count }, (_, i) => ['--peers', `http://127.0.0.1:${i + 1}`]).flat();
}

/** A chain that has work now. */
async function openChain(): Promise<number> {
  return (await askWork(node)).bytes.readUInt32LE(0);
}
