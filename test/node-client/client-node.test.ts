/** The whole client against the process of the development node, as the specification has it and as real nodes behave. */
import { blake2b } from '@noble/hashes/blake2.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blockHashOf } from '../../src/core/bytes/block-hash.js';
import { toBase64Url } from '../../src/core/bytes/bytes.js';
import { powHashOf, withNonce } from '../../src/core/work/header.js';
import { meetsTarget } from '../../src/core/work/target.js';
import type { Work } from '../../src/core/work/work.js';
import { type HeaderObject, NodeClient, type SeenAnswer } from '../../src/node-client/client.js';
import { mineMany } from '../devnode/helpers.js';
import { type NodeProcess, startEasyProcess } from '../devnode/process.js';
import { temporaryFolder } from '../helpers/folder.js';
import { until } from '../helpers/until.js';

const MINER = { account: 'k:miner', predicate: 'keys-all', publicKeys: ['aa'] } as const;
const MISSING = 'A'.repeat(43);
const PROFILES = ['specification', 'chainweb'] as const;

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Tries nonces as a miner does. */
function solved(work: Work): Uint8Array {
  for (let nonce = 0n; ; nonce++) {
    const header = withNonce(work.header, nonce);
    if (meetsTarget(powHashOf(header), work.blockTarget)) return header;
  }
}

function transaction(nonce: string): { text: string; key: string } {
  const cmd = JSON.stringify({ nonce, payload: { exec: { code: '(+ 1 2)', data: {} } } });
  const key = toBase64Url(blake2b(new TextEncoder().encode(cmd), { dkLen: 32 }));
  return { text: JSON.stringify({ hash: key, sigs: [{ sig: 'ab' }], cmd }), key };
}

describe.each(PROFILES)('a node with the ways of profile %s', (profile) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: NodeProcess;
  let node: NodeClient;
  /** Real nodes serve mempool and configuration on their peer port. */
  let peer: NodeClient;
  let all: HeaderObject[];

  beforeAll(async () => {
    folder = await temporaryFolder();
    const flags = ['--backup-dir', folder.path, '--payload-refresh', '1ms', '--header-stream', 'true'];
    server = await startEasyProcess('--profile', profile, '--fork-state', String(5n << 60n), ...flags);
    await mineMany(server, 45);
    node = await NodeClient.connect({ nodes: server.rootUrl });
    peer = await NodeClient.connect({ nodes: server.peerUrl, tls: { insecure: true } });
    all = await collect(node.chain(3).headers.each());
  });
  afterAll(async () => {
    await Promise.all([node.close(), peer.close()]);
    await server[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  const hashesOf = (headers: readonly HeaderObject[]): string[] => headers.map(({ hash }) => hash);
  const head = (): HeaderObject => all.at(-1) as HeaderObject;

  it('1, 2, 4.7: tells what it is', async () => {
    const { maintenance } = node;
    const seen: SeenAnswer[] = [];
    const onAnswer = (answer: SeenAnswer): void => void seen.push(answer);
    expect(await maintenance.info({ onAnswer })).toMatchObject({
      nodeVersion: 'development',
      nodeNumberOfChains: 10,
    });
    expect(await maintenance.healthCheck()).toBe('Health check OK.');
    expect(seen[0]?.facts.softwareVersion).toBe('0.2.0');
    expect(Math.abs((seen[0]?.facts.clockMs ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(await peer.maintenance.config()).toMatchObject({ headerStream: true });
  });

  it('2: shows its cut, also as it was', async () => {
    const cut = await node.maintenance.cut();
    expect(cut).toMatchObject({ origin: null, height: 45, instance: 'development' });
    expect(cut.hashes['3']).toEqual({ height: head().height, hash: head().hash });
    expect((await node.maintenance.cut(10)).height).toBe(10);
  });

  it('4.2 to 4.4: lists a chain in every encoding, in pages of any size, to its very end', async () => {
    const chain = node.chain(3);
    expect(all.length).toBeGreaterThan(3);
    expect(all.map(({ height }) => height)).toEqual(all.map((_, i) => i));
    for (const limit of [1, 2, all.length, 100]) {
      expect(await collect(chain.hashes.each({ limit }))).toEqual(hashesOf(all));
    }
    const encoded = await collect(chain.encodedHeaders.each({ limit: 2 }));
    expect(encoded.map(({ hash }) => toBase64Url(hash))).toEqual(hashesOf(all));
    expect(encoded.map(({ header }) => toBase64Url(blockHashOf(header)))).toEqual(hashesOf(all));
    const blocks = await collect(chain.blocks.each({ limit: 3 }));
    expect(blocks.map(({ header }) => header.hash)).toEqual(hashesOf(all));
    expect(blocks.map(({ payloadWithOutputs }) => payloadWithOutputs?.payloadHash)).toEqual(
      all.map(({ payloadHash }) => payloadHash),
    );
  });

  it('2, 4.3: gives header objects exactly, whatever names its profile has', async () => {
    expect(head()).toMatchObject({
      ledgerVersion: 'development',
      chainId: 3,
      featureFlags: String(5n << 60n),
    });
    const chain = node.chain(3);
    expect(await chain.header(head().hash)).toEqual(head());
    const [bytes, text] = [
      await chain.encodedHeader(head().hash),
      await chain.encodedHeader(head().hash, 'text'),
    ];
    expect(text).toEqual(bytes);
    expect(bytes.header.length).toBe(286);
    expect(String(bytes.fields.nonce)).toBe(head().nonce);
    expect(Number(bytes.fields.creationTime)).toBe(head().creationTime);
    expect(String(bytes.fields.flags)).toBe(head().featureFlags);
  });

  it('4.2, 4.3: bounds a listing by heights, and goes on where a page ended', async () => {
    const chain = node.chain(3);
    const some = await chain.headers.page({ minHeight: 1, maxHeight: 2 });
    expect(some.items.map(({ height }) => height)).toEqual([1, 2]);
    const first = await chain.hashes.page({ limit: 2 });
    expect(first).toMatchObject({ limit: 2, next: `inclusive:${all[2]?.hash}` });
    const second = await chain.hashes.page({ limit: 2, next: first.next ?? '' });
    expect([...first.items, ...second.items]).toEqual(hashesOf(all.slice(0, 4)));
  });

  it('2, 4.2, 7: ends a listing in its own way, and an empty one is empty', async () => {
    const chain = node.chain(3);
    const last = await chain.hashes.page();
    expect(last.next).toBe(profile === 'chainweb' ? `exclusive:${head().hash}` : null);
    expect(await collect(chain.hashes.each({ minHeight: 1_000_000 }))).toEqual([]);
    const unknown = collect(chain.hashes.each({ next: `inclusive:${MISSING}` }));
    await expect(unknown).rejects.toMatchObject({
      code: 'not-found',
      status: 404,
      details: { key: MISSING },
    });
  });

  it('4.2 to 4.4: walks branches down, between bounds and in pages', async () => {
    const chain = node.chain(3);
    const down = [...all].reverse();
    const upper = [head().hash];
    expect(await collect(chain.hashes.eachInBranch({ upper }, { limit: 2 }))).toEqual(hashesOf(down));
    const lower = [all[1]?.hash ?? ''];
    const part = down.slice(0, -2);
    expect((await chain.headers.branch({ upper, lower })).items).toEqual(part);
    expect(await collect(chain.headers.eachInBranch({ upper, lower }, { limit: 1 }))).toEqual(part);
    const encoded = await collect(chain.encodedHeaders.eachInBranch({ upper, lower }, { limit: 2 }));
    expect(encoded.map(({ hash }) => toBase64Url(hash))).toEqual(hashesOf(part));
    const blocks = await collect(chain.blocks.eachInBranch({ upper, lower }, { limit: 2 }));
    expect(blocks.map(({ header }) => header.hash)).toEqual(hashesOf(part));
    expect(await chain.hashes.branch({ upper: [], lower: [] })).toEqual({ items: [], limit: 0, next: null });
    await expect(chain.hashes.branch({ upper: [MISSING] })).rejects.toMatchObject({
      code: 'not-found',
      endpoint: 'POST /chain/{chain}/hash/branch',
      node: server.rootUrl,
    });
  });

  it('4.1, 7: gives payloads alone and in batches, with and without outputs', async () => {
    const chain = node.chain(3);
    const { payloadHash: hash, height } = head();
    const payload = await chain.payload(hash, height);
    expect(payload).toMatchObject({ payloadHash: hash, transactions: [] });
    const withOutputs = await chain.payloadWithOutputs(hash);
    expect(withOutputs.coinbase).not.toBe('');
    const keys = all.slice(1).map((header) => ({ hash: header.payloadHash, height: header.height }));
    const wanted = [...keys, { hash: MISSING, height: 1 }];
    const expected = keys.map((key) => key.hash).sort();
    expect((await chain.payloads(wanted)).map((one) => one.payloadHash).sort()).toEqual(expected);
    expect((await chain.payloadsWithOutputs(wanted)).map((one) => one.payloadHash).sort()).toEqual(expected);
    expect(await chain.payloads([{ hash: MISSING, height: 1 }])).toEqual([]);
    expect(await chain.payloads([])).toEqual([]);
    await expect(chain.payload(MISSING)).rejects.toMatchObject({
      code: 'not-found',
      details: { key: MISSING },
    });
    await expect(chain.header(MISSING)).rejects.toMatchObject({ code: 'not-found', advice: /right/ });
  });

  it('4.5: takes transactions into its mempool and tells of them', async () => {
    const { mempool } = peer.chain(7);
    const [first, second] = [transaction('1'), transaction('2')];
    await mempool.insert([first.text]);
    expect(await mempool.member([first.key, MISSING])).toEqual([true, false]);
    expect(await mempool.lookup([MISSING, first.key])).toEqual([
      { tag: 'Missing' },
      { tag: 'Pending', contents: first.text },
    ]);
    const { hashes, highwaterMark } = await mempool.getPending();
    expect(hashes).toEqual([first.key]);
    await mempool.insert([second.text]);
    expect((await mempool.getPending(highwaterMark)).hashes).toEqual([second.key]);
    const ofAnother = await mempool.getPending(['-4683248684880063035', '436']);
    expect(ofAnother.hashes).toEqual([first.key, second.key]);
    await expect(mempool.insert(['no transaction'])).rejects.toMatchObject({ status: 400 });
  });

  it('4.7, 3: backs itself up', async () => {
    const id = await node.maintenance.startBackup({ withContractState: true });
    await until('the backup is done', async () => {
      return (await node.maintenance.backupState(id)) === 'backup-done';
    });
    await expect(node.maintenance.backupState('nothing')).rejects.toMatchObject({
      status: 404,
      endpoint: 'GET /check-backup/{backupId}',
      advice: /no backup has this id/,
    });
  });

  it('4.6, 4.8, 6: hands out work, tells of new work, and takes a solution', async () => {
    const signal = new AbortController();
    const work = await node.work({ miner: MINER, chainId: 5, timeoutMs: 60_000 });
    let opened = 0;
    const updates = node.miningUpdates(work.chainId, { signal: signal.signal, onOpen: () => void opened++ });
    const blocks = node.blockUpdates({ signal: signal.signal, onOpen: () => void opened++ });
    const headers = node.headerUpdates({ signal: signal.signal, onOpen: () => void opened++ });
    const first = Promise.all([next(updates), next(blocks), next(headers)]);
    await until('three streams', () => opened === 3);
    const header = solved(work);
    await node.solved(header);
    const [name, block, seen] = await first;
    const hash = toBase64Url(blockHashOf(header));
    expect(name).toBe('New Cut');
    expect(seen.header.hash).toBe(hash);
    expect(block).toMatchObject({
      header: { hash },
      txCount: expect.any(Number),
      payloadWithOutputs: { transactions: expect.any(Array) },
    });
    expect(Buffer.from(block.powHash ?? '', 'hex').reverse()).toEqual(Buffer.from(powHashOf(header)));
    await expect(node.solved(header)).rejects.toMatchObject({
      status: 404,
      advice: /no longer has this work/,
    });
    signal.abort();
  });
});

async function next<T>(events: AsyncIterable<T>): Promise<T> {
  for await (const event of events) return event;
  throw new Error('the stream ended without an event');
}
