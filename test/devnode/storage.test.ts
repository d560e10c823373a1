/** Blocks on disk: kept over restarts and kills, one node a directory, listed without loading all. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { type DevNodeOptions, startDevNode } from '../../src/devnode/server.js';
import { ask, mineMany, startEasyNode, testNodes } from './helpers.js';

const EASY = { listen: { host: '127.0.0.1', port: 0 }, genesisDifficulty: 4, blockDelayMs: 0.001 };
const SCRIPT = new URL('../../dist/test/devnode/node-process.js', import.meta.url).pathname;

const { easyNode, newFolder, cleanUp } = testNodes();
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await cleanUp();
});

/** Starts a node in its own process. */
async function startProcess(options: DevNodeOptions): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify({ ...EASY, ...options })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const { stdout } = child;
  if (stdout === null) throw new Error('no stdout');
  const [line] = (await once(stdout, 'data')) as [Buffer];
  return { child, url: (JSON.parse(line.toString()) as { url: string }).url };
}

describe('on disk', () => {
  it('a restart finds the same cut, blocks and payloads, and goes on', async () => {
    const dataDir = newFolder();
    const first = await startEasyNode({ dataDir });
    await mineMany(first, 30);
    const before = first.cut();
    const listing = (await ask(`${first.url}/chain/3/block`)).text;
    await first.close();
    const second = await easyNode({ dataDir });
    expect(second.cut()).toEqual(before);
    expect((await ask(`${second.url}/chain/3/block`)).text).toBe(listing);
    await mineMany(second, 5);
    expect(second.cut().height).toBe(35);
  });

  it.runIf(existsSync(SCRIPT))('every block answered 204 before kill -9 is there after it', async () => {
    const dataDir = newFolder();
    const options = { dataDir, graph: 'triangle' } as const;
    let height = 0;
    for (let round = 0; round < 3; round++) {
      const { child, url } = await startProcess(options);
      const stop = setTimeout(() => child.kill('SIGKILL'), 250);
      const mining = (async () => {
        for (;;) {
          await mineMany({ url }, 1);
          height++;
        }
      })();
      await mining.catch(() => undefined);
      clearTimeout(stop);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    const node = await easyNode(options);
    // The kill may fall between a block and its answer.
    expect(node.cut().height).toBeGreaterThanOrEqual(height);
    expect(node.cut().height).toBeLessThanOrEqual(height + 3);
    expect(height).toBeGreaterThan(3);
    for (const [chain, hash] of Object.entries(node.cut().hashes)) {
      const branch = await ask(`${node.url}/chain/${chain}/hash/branch`, {
        method: 'POST',
        json: { upper: [hash] },
      });
      expect(branch.json<{ items: string[] }>().items).toHaveLength(
        (node.cut().heights[Number(chain)] ?? 0) + 1,
      );
    }
  });

  it('a directory has one node at a time', async () => {
    const dataDir = newFolder();
    const node = await easyNode({ dataDir });
    await expect(startEasyNode({ dataDir })).rejects.toMatchObject({
      code: 'data-directory',
      message: expect.stringContaining(String(process.pid)),
    });
    await mineMany(node, 1);
  });

  it('a directory of another network is refused, and left as it is', async () => {
    const dataDir = newFolder();
    await (await startEasyNode({ dataDir })).close();
    await expect(startEasyNode({ dataDir, genesisDifficulty: 9 })).rejects.toMatchObject({
      code: 'foreign-store',
    });
    await easyNode({ dataDir });
  });

  it('a port that is taken leaves no lock behind', async () => {
    const dataDir = newFolder();
    const { port } = (await easyNode({})).address;
    await expect(
      startDevNode({ ...EASY, dataDir, listen: { host: '127.0.0.1', port } }),
    ).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await easyNode({ dataDir });
  });
});
