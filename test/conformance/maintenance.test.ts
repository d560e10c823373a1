/** Interface 4.7, 3 and 5 against the process: backups, health, information, configuration, availability. */
import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ask, askWork, mineMany, postSolved } from '../devnode/helpers.js';
import { LONG_CHAIN_FLAGS, writeLongChain } from '../devnode/long-chain.js';
import { type NodeHere, startEasyHere, startNodeHere } from '../devnode/process.js';
import { temporaryFolder } from '../helpers/folder.js';
import { until } from '../helpers/until.js';
import { collect, open, requestBytes } from './raw.js';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const makeBackup = (node: NodeHere, query = ''): Promise<Answer> =>
  ask(`${node.url}/make-backup${query}`, { method: 'POST' });
const check = async (node: NodeHere, id: string): Promise<string> =>
  (await ask(`${node.url}/check-backup/${id}`)).text;
const cutOf = async (node: NodeHere): Promise<unknown> => (await ask(`${node.url}/cut`)).json();

describe('4.7 backups', () => {
  it.each(['a temporary folder', 'a data directory'])(
    '4.7: a second node from the backup of one with blocks in %s has the same cut, and goes on',
    async (kind) => {
      const backups = `${folder.path}/backups of ${kind}`;
      const onDisk = kind === 'a data directory' ? ['--data-dir', `${folder.path}/data`] : [];
      await using node = await startEasyHere('--backup-dir', backups, ...onDisk);
      await mineMany(node, 12);
      const made = await makeBackup(node);
      expect([made.status, made.headers['content-type']]).toEqual([
        200,
        expect.stringMatching(/^text\/plain/),
      ]);
      expect(made.text).toMatch(/^[a-zA-Z0-9_-]+$/);
      // A UNIX timestamp, here in microseconds.
      expect(Math.abs(Number(made.text) / 1000 - Date.now())).toBeLessThan(60_000);
      await until('it is done', async () => (await check(node, made.text)) === 'backup-done');
      const before = await cutOf(node);
      const blocks = (await ask(`${node.url}/chain/0/block`)).text;
      await mineMany(node, 3);
      await using restored = await startEasyHere('--data-dir', `${backups}/${made.text}`);
      expect(await cutOf(restored)).toEqual(before);
      expect((await ask(`${restored.url}/chain/0/block`)).text).toBe(blocks);
      await mineMany(restored, 3);
      expect(await cutOf(restored)).toMatchObject({ height: 15 });
    },
  );

  it('3.1 and 4.7: one job at a time: its id is given again while it runs, and then another', async () => {
    const data = `${folder.path}/long`;
    await writeLongChain(data, 2000);
    const flags = ['--data-dir', data, '--backup-dir', `${folder.path}/backups-long`, ...LONG_CHAIN_FLAGS];
    await using node = await startNodeHere(...flags);
    // Two requests in one packet, so that the second is read while the first one's job runs.
    const socket = await open(node.url);
    const bytes = collect(socket);
    const request = requestBytes(`${node.url}/make-backup`, { method: 'POST' });
    socket.write(Buffer.concat([request, request]));
    const ids = await until('two answers', () => {
      const found = bytes().match(/(?<=\r\n\r\n)\d+/g) ?? [];
      return found.length === 2 && found;
    });
    expect(ids[1]).toBe(ids[0]);
    const states = new Set<string>();
    await until('it is done', async () => {
      states.add(await check(node, ids[0] ?? ''));
      return states.has('backup-done');
    });
    states.delete('backup-in-progress');
    expect(states).toEqual(new Set(['backup-done']));
    expect((await makeBackup(node)).text).not.toBe(ids[0]);
    socket.destroy();
  });

  it('4.7: the flag backupPact, whatever its value, backs up the state of the accounts too', async () => {
    const backups = `${folder.path}/backups-flag`;
    await using node = await startEasyHere('--backup-dir', backups);
    await mineMany(node, 2);
    for (const [query, withState] of [
      ['', false],
      ['?backupPact', true],
      ['?backupPact=no', true],
    ] as const) {
      const { text: id } = await makeBackup(node, query);
      await until('it is done', async () => (await check(node, id)) === 'backup-done');
      expect(existsSync(`${backups}/${id}/accounts.json`)).toBe(withState);
      expect(existsSync(`${backups}/${id}/blocks`)).toBe(true);
    }
  });

  it('3 and 7: a job that failed says so; an id that no job had is 404', async () => {
    const file = `${folder.path}/a-file`;
    writeFileSync(file, '');
    await using node = await startEasyHere('--backup-dir', file);
    const { text: id } = await makeBackup(node);
    expect(await check(node, id)).toBe('backup-failed');
    expect((await ask(`${node.url}/check-backup/12345`)).status).toBe(404);
    expect((await ask(`${node.url}/check-backup/..%2f..`)).status).toBe(404);
  });

  it('8: nothing is deleted by itself: a job of an earlier start is still known', async () => {
    const backups = `${folder.path}/backups-kept`;
    let id = '';
    {
      await using first = await startEasyHere('--backup-dir', backups);
      id = (await makeBackup(first)).text;
      await until('it is done', async () => (await check(first, id)) === 'backup-done');
    }
    await using second = await startEasyHere('--backup-dir', backups);
    expect(await check(second, id)).toBe('backup-done');
  });
});

describe('4.7 health, information, configuration; 5 availability', () => {
  let node: NodeHere;
  const key = 'ab'.repeat(32);
  beforeAll(async () => {
    node = await startNodeHere('--miners', key, '--peers', 'http://user:password@127.0.0.1:9');
  });
  afterAll(() => node[Symbol.asyncDispose]());

  it('4.7: health-check is the text Health check OK.', async () => {
    const { status, text, headers } = await ask(`${node.url}/health-check`);
    expect([status, text, headers['content-type']]).toEqual([
      200,
      'Health check OK.',
      expect.stringMatching(/^text\/plain/),
    ]);
  });

  it('4.7 and 2: config is at the host root, has the keys observed, and no secret', async () => {
    const { status, text } = await ask(`${node.rootUrl}/config`);
    expect(status).toBe(200);
    expect(Object.keys(JSON.parse(text) as object).sort()).toEqual(TOP_LEVEL_KEYS);
    expect(text).not.toMatch(new RegExp(`${key}|password`));
    expect((await ask(`${node.url}/config`)).status).toBe(404);
  });

  it.each([
    ['GET', '/mining/work'],
    ['POST', '/mining/solved'],
    ['GET', '/mining/updates'],
  ] as const)('5: mining is off by default: %s %s does not exist', async (method, path) => {
    // What the answer is, is not shown: 404, as for any path that does not exist, is what real nodes do.
    expect((await ask(node.url + path, { method })).status).toBe(404);
  });

  it('5: on by setting', async () => {
    await using on = await startEasyHere();
    expect((await askWork(on)).status).toBe(200);
    expect((await postSolved(on, new Uint8Array(286))).text).toMatch(/^Decoding error/);
  });

  it.each([
    ['POST', '/make-backup'],
    ['GET', '/check-backup/1'],
  ] as const)('5: without a backup directory %s %s does not exist', async (method, path) => {
    const answer = await ask(node.url + path, { method });
    expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('there is nothing at')]);
  });

  it('5: the header and block streams can be switched off', async () => {
    await using off = await startNodeHere('--header-stream', 'false');
    for (const path of ['/header/updates', '/block/updates'])
      expect((await ask(off.url + path)).status).toBe(404);
  });
});

const TOP_LEVEL_KEYS = (
  'allowReadsInLocal backup chainwebVersion contractQueueSize cuts enableLocalTimeout fullHistoricContractState ' +
  'gasLimitOfBlock headerStream logGas mempoolP2p minGasPrice mining moduleCacheLimit onlySyncContract p2p ' +
  'preInsertCheckTimeout readOnlyReplay reintroTxs reorgLimit rosetta serviceApi syncContractChains throttling'
).split(' ');
