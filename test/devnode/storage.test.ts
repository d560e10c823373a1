/** Blocks on disk: kept over restarts and kills, one node a directory, listed without loading all. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { startDevNode } from '../../src/devnode/server.js';
import { isBuilt, startNodeProcess } from './child.js';
import { ask, EASY, mineMany, startEasyNode, testNodes } from './helpers.js';

const { easyNode, newFolder, cleanUp } = testNodes();
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await cleanUp();
});

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

  it.runIf(isBuilt)('every block answered 204 before kill -9 is there after it', async () => {
    const dataDir = newFolder();
    const options = { dataDir, graph: 'triangle' } as const;
    let height = 0;
    for (let round = 0; round < 3; round++) {
      const { child, url } = await startNodeProcess(options);
      children.push(child);
      const mining = (async () => {
        for (let blocks = 1; ; blocks++) {
          await mineMany({ url }, 1);
          height++;
          // Somewhere in the middle of one of the next blocks.
          if (blocks === 10) setTimeout(() => child.kill('SIGKILL'), round * 7);
        }
      })();
      await mining.catch(() => undefined);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    const node = await easyNode(options);
    // The kill may fall between a block and its answer.
    expect(node.cut().height).toBeGreaterThanOrEqual(height);
    expect(node.cut().height).toBeLessThanOrEqual(height + 3);
    expect(height).toBeGreaterThanOrEqual(30);
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
