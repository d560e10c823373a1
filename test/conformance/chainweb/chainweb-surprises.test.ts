/** Profile chainweb against the process: a line for each surprise of the protocol notes. */
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewOf } from '../../../src/core/bytes/bytes.js';
import { NodeClient } from '../../../src/node-client/client.js';
import { ask, askWork, chainBytes, MINER, mineOne, postSolved, solve } from '../../devnode/helpers.js';
import { type NodeHere, startEasyHere, startNodeHere } from '../../devnode/process.js';
import { newTransaction } from '../../helpers/books/transactions.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { until } from '../../helpers/until.js';
import { askerOf, NOWHERE, OBJECT, type Page } from '../asker.js';
import { grow } from '../grown.js';
import { rawStream } from '../raw.js';

/** Fork number 1 and 4,000,000 votes: far beyond 2^53. */
const FORK_STATE = (4_000_000n << 32n) + 1n;

let node: NodeHere;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  const streams = ['--header-stream', 'true', '--payload-refresh', '50ms'];
  const state = ['--fork-state', String(FORK_STATE), '--backup-dir', `${folder.path}/backups`];
  node = await startEasyHere('--profile', 'chainweb', ...streams, ...state);
  await grow(node, 10);
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const service = askerOf(() => node.url);
const peers = askerOf(() => node.peerUrl);
const rootOf = (url: string): string => new URL(url).origin;

describe('surprises of the protocol notes', () => {
  it('1: a solution with a wrong proof of work burns the work', async () => {
    // Easy targets may be the easiest there is, which no hash misses.
    await using hard = await startNodeHere('--mining', '--profile', 'chainweb', '--genesis-difficulty', '64');
    const work = (await askWork(hard, 1)).bytes.subarray(36);
    const missed = await postSolved(hard, solve(work, { misses: true }));
    expect([missed.status, missed.text]).toEqual([400, 'Invalid solved work: Invalid POW hash']);
    expect((await postSolved(hard, solve(work))).status).toBe(404);
  });

  it('2: solved is 200 with an empty body, also for stale work and for a time in the future', async () => {
    const stale = (await askWork(node, 2, { ...MINER, account: 'stale' })).bytes.subarray(36);
    const good = await postSolved(node, solve((await askWork(node, 2)).bytes.subarray(36)));
    const late = await postSolved(node, solve(stale));
    const future = Uint8Array.from(
      (await askWork(node, 4, { ...MINER, account: 'future' })).bytes.subarray(36),
    );
    viewOf(future).setBigInt64(8, BigInt(Date.now() + 600_000) * 1000n, true);
    const early = await postSolved(node, solve(future));
    for (const answer of [good, late, early]) expect([answer.status, answer.text]).toEqual([200, '']);
  });

  it('3: the first eight bytes hold a fork state, a bare number in JSON that may be beyond 2^53', async () => {
    const { hash } = await service.head(3);
    expect((await service.get(`/chain/3/header/${hash}`, OBJECT)).text).toContain(
      `"featureFlags":${FORK_STATE}`,
    );
    const bytes = (await service.get(`/chain/3/header/${hash}`, 'application/octet-stream')).bytes;
    expect(bytes.readBigUInt64LE(0)).toBe(FORK_STATE);
    const client = await NodeClient.connect({ nodes: node.rootUrl });
    expect((await client.chain(3).header(hash)).featureFlags).toBe(String(FORK_STATE));
    await client.close();
  });

  it('3: from one start to the next the state in the work headers is what was set', async () => {
    expect((await askWork(node)).bytes.readBigUInt64LE(36)).toBe(FORK_STATE);
  });

  it.each([
    ['/mining/work', 'GET', 415, 404],
    ['/mining/solved', 'POST', 400, 404],
    ['/chain/0/hash', 'GET', 200, 404],
    ['/chain/0/hash/branch', 'POST', 415, 404],
    ['/chain/0/block', 'GET', 200, 404],
    ['/chain/0/block/branch', 'POST', 415, 404],
    ['/make-backup', 'POST', 202, 404],
    ['/check-backup/1', 'GET', 404, 404],
    ['/chain/0/header', 'GET', 200, 200],
    ['/chain/0/header/branch', 'POST', 415, 415],
    [`/chain/0/header/${NOWHERE}`, 'GET', 404, 404],
    [`/chain/0/payload/${NOWHERE}`, 'GET', 404, 404],
    ['/cut', 'GET', 200, 200],
    ['/cut', 'PUT', 405, 415],
    ['/cut/peer', 'GET', 404, 200],
    ['/chain/0/mempool/peer', 'GET', 404, 200],
    ['/chain/0/mempool/getPending', 'POST', 404, 200],
    ['/chain/0/mempool/member', 'POST', 404, 415],
    ['/chain/0/mempool/lookup', 'POST', 404, 415],
    ['/chain/0/mempool/insert', 'PUT', 404, 415],
  ] as const)(
    '4: %s %s is %d on the service port and %d on the peer port',
    async (path, method, service, peer) => {
      expect((await ask(node.url + path, { method })).status).toBe(service);
      expect((await ask(node.peerUrl + path, { method })).status).toBe(peer);
    },
  );

  it.each(['/info', '/health-check'])('4: %s is at the root of the service port only', async (path) => {
    expect((await ask(node.rootUrl + path)).status).toBe(200);
    expect((await service.get(path)).status).toBe(404);
    for (const base of [node.peerUrl, rootOf(node.peerUrl)])
      expect((await ask(base + path)).status).toBe(404);
  });

  it('4: /config is at the root of the peer port only', async () => {
    expect((await ask(`${rootOf(node.peerUrl)}/config`)).status).toBe(200);
    for (const base of [node.rootUrl, node.url, node.peerUrl]) {
      expect((await ask(`${base}/config`)).status).toBe(404);
    }
  });

  it('4: streams are on the service port only', async () => {
    for (const path of ['/header/updates', '/block/updates', '/mining/updates']) {
      using stream = await rawStream(node.url + path, { body: chainBytes(await openChain()) });
      expect(stream.answer.status).toBe(200);
      expect((await peers.get(path)).status).toBe(404);
    }
  });

  it('4: the peer port speaks TLS with a self-signed certificate', async () => {
    const { hostname, port, protocol } = new URL(node.peerUrl);
    expect(protocol).toBe('https:');
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    const { subject, issuer } = socket.getPeerCertificate();
    expect(subject).toEqual(issuer);
    expect(socket.authorizationError).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    socket.destroy();
    expect(rootOf(node.url)).toMatch(/^http:/);
  });

  it.each(['hash', 'header', 'block'])(
    '5: a %s listing ends with exclusive:<last key>, null only when empty',
    async (what) => {
      const last = (await service.headers(5)).at(-1);
      expect((await service.page(`/chain/5/${what}`)).next).toBe(`exclusive:${last?.hash}`);
      expect(await service.page(`/chain/5/${what}?next=exclusive:${last?.hash}`)).toEqual({
        items: [],
        limit: 0,
        next: null,
      });
      const branch = (
        await service.post(`/chain/5/${what}/branch`, { upper: [last?.hash], lower: [] })
      ).json<Page>();
      expect(branch.next).toBeNull();
    },
  );

  it('6: the block stream names its events BlockHeader too', async () => {
    using stream = await rawStream(`${node.url}/block/updates`);
    await mineOne(node);
    const events = await stream.until('a block', (text) => text.endsWith('\n\n'));
    expect(events).toMatch(/^event:BlockHeader\ndata:\{.*"payloadWithOutputs":\{.*\}\n\n$/);
  });

  it('7: a new block is several New Cut events; Refreshed Block is a second name', async () => {
    const chain = await openChain();
    using stream = await rawStream(`${node.url}/mining/updates`, { body: chainBytes(chain) });
    await peers.put(`/chain/${chain}/mempool/insert`, [newTransaction('refresh').text]);
    await stream.until('a refresh', (text) => text === 'event:Refreshed Block\n\n');
    await mineOne(node, chain);
    await until('the chain is open again', async () => {
      if ((await askWork(node, chain)).bytes.readUInt32LE(0) === chain) return true;
      await mineOne(node);
      return false;
    });
    // Stale, and ready: at once or when the neighbours have caught up.
    await stream.until(
      'two events',
      (text) => text === `event:Refreshed Block\n\n${'event:New Cut\n\n'.repeat(2)}`,
    );
  });

  it('8: proof of work is on for development, unless it is switched off', async () => {
    await using strict = await startNodeHere('--mining', '--profile', 'chainweb');
    const header = (await askWork(strict)).bytes.subarray(36);
    expect((await postSolved(strict, header)).text).toBe('Invalid solved work: Invalid POW hash');
    await using free = await startNodeHere('--mining', '--profile', 'chainweb', '--no-proof-of-work');
    expect((await postSolved(free, (await askWork(free)).bytes.subarray(36))).status).toBe(200);
    expect((await ask(`${free.url}/cut`)).json()).toMatchObject({ height: 1 });
  });

  it('9: a creation time must be above that of all adjacent parents', async () => {
    await using fresh = await startEasyHere('--profile', 'chainweb');
    const parent = await mineOne(fresh, 2);
    for (const chain of [0, 4, 7]) await mineOne(fresh, chain);
    const header = Uint8Array.from((await askWork(fresh, 2)).bytes.subarray(36));
    viewOf(header).setBigInt64(8, viewOf(parent).getBigInt64(8, true) + 1n, true);
    expect((await postSolved(fresh, solve(header))).status).toBe(200);
    expect((await ask(`${fresh.url}/cut`)).json()).toMatchObject({ height: 4 });
  });
});

/** A chain that has work now. */
async function openChain(): Promise<number> {
  return (await askWork(node)).bytes.readUInt32LE(0);
}
