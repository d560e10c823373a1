/** What others can make the development node hold, or do. */
import { EventEmitter, getEventListeners, setMaxListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { OrderedClock, systemClock } from '../../src/devnode/clock.js';
import { Chains } from '../../src/devnode/consensus/chains.js';
import { networkFrom } from '../../src/devnode/consensus/networks.js';
import { leavingSignal } from '../../src/devnode/http/leaving.js';
import { Mempool } from '../../src/devnode/mining/mempool.js';
import { Faults } from '../../src/devnode/orders/faults.js';
import type { BlockStore } from '../../src/devnode/storage/block-store.js';
import { ask, MINER, mineMany, mineOne, testNodes } from './helpers.js';

const { easyNode, newFolder, newStore, cleanUp } = testNodes();
afterEach(cleanUp);

const FROM_A_PAGE = { origin: 'http://evil.example' };

function chainsIn(store: BlockStore): Chains {
  return new Chains({
    network: networkFrom('development', { proofOfWork: false }),
    store,
    clock: new OrderedClock(systemClock()),
    log: SILENT,
  });
}

/** The next block of chain 0, with these transactions. */
function addBlock(chains: Chains, transactions: readonly string[]): void {
  const head = chains.head(0) ?? expect.fail('no chain 0');
  const run = chains.beginBlock(head, MINER, head.creationTime + 1n);
  if (typeof run === 'string') throw new Error(run);
  for (const text of transactions) expect(run.take(text)).toBeUndefined();
  const payload = run.payload();
  const header = chains.nextHeader(0, payload.payloadHash) ?? expect.fail('no header');
  const added = chains.add(header, payload);
  expect(added.outcome === 'refused' ? added.reason : added.outcome).toBe('joined');
}

describe('A9', () => {
  it('the pool is full at so many bytes of all chains, and blocks make room', () => {
    const chains = chainsIn(newStore());
    const faults = new Faults(new AbortController().signal);
    const pool = new Mempool(
      { chains, clock: systemClock(), nonce: 1n, onInsert: () => {}, faults },
      100_000,
    );
    const text = (i: number): string => JSON.stringify({ cmd: `${i} ${'x'.repeat(4000)}` });
    const insert = (i: number) => pool.insert(i % 10, [text(i)]);
    let taken = 0;
    while (taken < 100 && insert(taken) === undefined) taken++;
    expect(taken).toBe(12);
    expect(pool.insert(3, [text(99)])).toEqual({
      reason: expect.stringContaining('100000 bytes'),
      isFull: true,
    });
    expect(pool.insert(3, ['{"cmd":"small"}'])).toBeUndefined();
    addBlock(chains, [text(0)]);
    expect(insert(98)).toBeUndefined();
  });

  it('takes no orders of web pages', async () => {
    const node = await easyNode({ backupDir: newFolder(), control: { host: '127.0.0.1', port: 0 } });
    const orders = [`${node.url}/make-backup`, `${node.controlUrl}/end-streams`];
    for (const url of orders) {
      const refused = await ask(url, { method: 'POST', headers: FROM_A_PAGE });
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('web page')]);
    }
    // CH19: a backup is asked for by whatever name the node has.
    for (const [url, status] of [
      [orders[0] ?? '', 200],
      [orders[1] ?? '', 403],
    ] as const) {
      for (const host of ['evil.example:1850', 'evil.example.', 'a.evil.example'])
        expect(await ask(url, { method: 'POST', headers: { host } })).toMatchObject({
          status,
          ...(status === 403 ? { text: expect.stringContaining('evil.example') } : {}),
        });
      for (const host of ['localhost:1', '[::1]:1', '[::1]', '10.0.0.1', 'dev.localhost:80'])
        expect((await ask(url, { method: 'POST', headers: { host } })).status).toBe(200);
    }
  });
});

describe('N10', () => {
  it('a request leaves nothing at the signal of the node', () => {
    const closing = new AbortController();
    setMaxListeners(0, closing.signal);
    // All of them over one connection.
    const socket = new EventEmitter();
    const replies = Array.from(
      { length: 100 },
      () => ({ raw: Object.assign(new EventEmitter(), { req: { socket } }) }) as unknown as FastifyReply,
    );
    const signals = replies.map((reply) => leavingSignal(reply, closing.signal));
    replies.slice(1).forEach(({ raw }) => void raw.emit('close'));
    expect(getEventListeners(closing.signal, 'abort')).toHaveLength(1);
    expect(socket.listenerCount('close')).toBe(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, ...Array(99).fill(true)]);
    closing.abort();
    expect(signals[0]?.aborted).toBe(true);
    expect(replies[0]?.raw.listenerCount('close')).toBe(0);
    expect(socket.listenerCount('close')).toBe(0);
  });

  it('nothing uses AbortSignal.any, which leaks on Node.js 20', () => {
    const folder = new URL('../../src/devnode/', import.meta.url).pathname;
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    expect(files.length).toBeGreaterThan(40);
    const users = files.filter((name) => /AbortSignal\.any\(/.test(readFileSync(join(folder, name), 'utf8')));
    expect(users).toEqual([]);
  });

  it('a node of twenty chains exchanges with a peer without a warning', async () => {
    const warnings: string[] = [];
    const note = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', note);
    const first = await easyNode({ graph: 'twenty' });
    await mineMany(first, 60);
    const second = await easyNode({ graph: 'twenty', peers: [first.url], peerPollMs: 50 });
    while (second.cut().height < 60) await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});

describe('N14', () => {
  it('a backup with contract state lets others have their turn, and has the balances of its blocks', async () => {
    const backupDir = newFolder();
    const node = await easyNode({ graph: 'singleton', backupDir });
    await mineMany(node, 3);
    const id = (await ask(`${node.url}/make-backup?backupPact=1`, { method: 'POST' })).text;
    await mineMany(node, 2);
    while ((await ask(`${node.url}/check-backup/${id}`)).text === 'backup-in-progress');
    const balances = JSON.parse(readFileSync(join(backupDir, id, 'accounts.json'), 'utf8')) as unknown;
    // Of some moment while it was made.
    const { height } = (await easyNode({ graph: 'singleton', dataDir: join(backupDir, id) })).cut();
    expect(height).toBeGreaterThanOrEqual(3);
    expect(balances).toEqual({ 0: { 'k:miner': (2.304523 * height).toFixed(6) } });
  });
});

it('N12: answers are bounded by their size: shorter pages, and each payload of a batch once', async () => {
  const node = await easyNode({ graph: 'singleton', payloadRefresh: 1, answerLimit: 100_000 });
  for (let block = 0; block < 10; block++) {
    const transactions = [JSON.stringify({ cmd: `${block} ${'y'.repeat(20_000)}` })];
    await ask(`${node.url}/chain/0/mempool/insert`, { method: 'PUT', json: transactions });
    await mineOne(node, 0);
  }
  interface BlockPage {
    items: { header: { payloadHash: string } }[];
    next: string | null;
    limit: number;
  }
  const hashes: string[] = [];
  let pages = 0;
  for (let next: string | null = ''; next !== null; pages++) {
    const answer = await ask(`${node.url}/chain/0/block${next && `?next=${next}`}`);
    expect(answer.bytes.length).toBeLessThan(110_000);
    const page = answer.json<BlockPage>();
    expect(page.limit).toBe(page.items.length);
    hashes.push(...page.items.map(({ header }) => header.payloadHash));
    next = page.next;
  }
  expect([hashes.length, new Set(hashes).size, pages > 2]).toEqual([11, 11, true]);
  const batch = (named: readonly (string | undefined)[]) =>
    ask(`${node.url}/chain/0/payload/batch`, { method: 'POST', json: { hashes: named } });
  expect((await batch(Array(40).fill(hashes.at(-1)))).json<unknown[]>()).toHaveLength(1);
  const all = await batch(hashes);
  expect(all.bytes.length).toBeLessThan(110_000);
  expect(all.json<unknown[]>().length).toBeGreaterThan(2);
});
