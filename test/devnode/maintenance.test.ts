/** Interface 4.7, 4.8, 5 and 9: backups, configuration, availability. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SILENT } from '../../src/core/log.js';
import { Backups } from '../../src/devnode/backups.js';
import { Chains } from '../../src/devnode/chains.js';
import { systemClock } from '../../src/devnode/clock.js';
import { MemoryStore } from '../../src/devnode/memory-store.js';
import { networkFrom } from '../../src/devnode/networks.js';
import type { DevNode } from '../../src/devnode/server.js';
import { ask, askWork, mineMany, mineOne, openStream, postSolved, solve, testNodes } from './helpers.js';

const { easyNode, newFolder, cleanUp } = testNodes();
afterEach(cleanUp);

async function waitForBackup(node: DevNode, id: string): Promise<string> {
  for (;;) {
    const { text } = await ask(`${node.url}/check-backup/${id}`);
    if (text !== 'backup-in-progress') return text;
  }
}

describe('4.7 backups', () => {
  it.each(['memory', 'disk'])('a backup of a node in %s is one that a node starts from', async (kind) => {
    const backupDir = newFolder();
    const node = await easyNode({ backupDir, ...(kind === 'disk' ? { dataDir: newFolder() } : {}) });
    await mineMany(node, 12);
    const made = await ask(`${node.url}/make-backup?backupPact`, { method: 'POST' });
    expect([made.status, made.headers['content-type']]).toEqual([200, expect.stringContaining('text/plain')]);
    expect(made.text).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(await waitForBackup(node, made.text)).toBe('backup-done');
    const before = node.cut();
    await mineMany(node, 3);
    const restored = await easyNode({ dataDir: join(backupDir, made.text) });
    expect(restored.cut()).toEqual(before);
    await mineMany(restored, 3);
    expect(restored.cut().height).toBe(15);
  });

  it('one job at a time: while it runs, its id is given again', async () => {
    const clock = systemClock();
    const network = networkFrom({ name: 'development', graph: 'pair' });
    const chains = new Chains({ network, store: new MemoryStore(), clock, log: SILENT });
    const backups = new Backups(newFolder(), chains, clock, SILENT);
    const id = backups.start(false);
    expect([backups.start(true), backups.state(id)]).toEqual([id, 'backup-in-progress']);
    await backups.close();
    expect(backups.state(id)).toBe('backup-done');
    expect(backups.start(false)).not.toBe(id);
    await backups.close();
  });

  it('says when a backup failed, and 404 for a job that never was', async () => {
    const file = join(newFolder(), 'a-file');
    writeFileSync(file, '');
    const node = await easyNode({ backupDir: file });
    const id = (await ask(`${node.url}/make-backup`, { method: 'POST' })).text;
    expect(await waitForBackup(node, id)).toBe('backup-failed');
    expect((await ask(`${node.url}/check-backup/12345`)).status).toBe(404);
    expect((await ask(`${node.url}/check-backup/..%2f..`)).status).toBe(400);
  });
});

describe('5 availability by configuration', () => {
  it('without backup directory, header stream or mining the endpoints do not exist', async () => {
    const node = await easyNode({ headerStream: false, miningEnabled: false });
    const answers = await Promise.all([
      ask(`${node.url}/make-backup`, { method: 'POST' }),
      ask(`${node.url}/check-backup/1`),
      ask(`${node.url}/header/updates`),
      ask(`${node.url}/block/updates`),
      askWork(node),
      postSolved(node, new Uint8Array(286)),
      ask(`${node.url}/mining/updates`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 404]);
  });
});

describe('4.7 config', () => {
  it('is at the host root, shows what is set and no secret', async () => {
    const node = await easyNode({
      miners: [{ account: 'secret-account', predicate: 'keys-all', 'public-keys': ['secret-key'] }],
      peers: ['http://user:password@127.0.0.1:9'],
      peerPollMs: 1e9,
    });
    const { text, status } = await ask(`${node.rootUrl}/config`);
    expect(status).toBe(200);
    const config = JSON.parse(text) as Record<string, unknown>;
    expect(Object.keys(config).sort()).toEqual(TOP_LEVEL_KEYS);
    expect(config).toMatchObject({
      chainwebVersion: 'development',
      mining: { coordination: { enabled: true } },
    });
    expect(text).not.toMatch(/secret|password/);
    expect((await ask(`${node.url}/config`)).status).toBe(404);
  });
});

const TOP_LEVEL_KEYS = (
  'allowReadsInLocal backup chainwebVersion contractQueueSize cuts enableLocalTimeout fullHistoricContractState ' +
  'gasLimitOfBlock headerStream logGas mempoolP2p minGasPrice mining moduleCacheLimit onlySyncContract p2p ' +
  'preInsertCheckTimeout readOnlyReplay reintroTxs reorgLimit rosetta serviceApi syncContractChains throttling'
).split(' ');

describe('4.8 and 6 event streams', () => {
  it('block/updates tells blocks with payloads, orphans included', async () => {
    const node = await easyNode({ graph: 'pair' });
    const stream = await openStream(`${node.url}/block/updates`);
    const late = (
      await askWork(node, 0, { account: 'x', predicate: 'keys-2', 'public-keys': [] })
    ).bytes.subarray(36);
    await mineOne(node, 0);
    await postSolved(node, solve(late));
    const text = await stream.until((seen) => seen.split('\n\n').length === 3);
    stream.close();
    const events = text
      .trim()
      .split('\n\n')
      .map((event) => event.split('\n'));
    expect(events.map(([name]) => name)).toEqual(['event:Block', 'event:Block']);
    for (const [, data] of events) {
      expect(JSON.parse((data ?? '').slice('data:'.length))).toMatchObject({
        txCount: 0,
        header: { height: 1, chainId: 0 },
        payloadWithOutputs: { coinbase: expect.any(String) },
      });
    }
  });

  it('8: a stream beyond the limit is 503', async () => {
    const node = await easyNode({ updateStreamLimit: 1 });
    const stream = await openStream(`${node.url}/header/updates`);
    expect((await ask(`${node.url}/header/updates`)).status).toBe(503);
    stream.close();
  });
});
