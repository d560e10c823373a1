/** Consensus as a miner of a network sees it, and settings that make no network. */
import { afterEach, describe, expect, it } from 'vitest';
import { viewOf } from '../../../src/core/bytes/bytes.js';
import { difficultyOf, integerOfTarget, targetFromBytes } from '../../../src/core/work/target.js';
import { type DevNodeOptions, startDevNode } from '../../../src/devnode/dev-node.js';
import { ask, askWork, mineMany, mineOne, postSolved, solve, testNodes } from '../helpers.js';

const { easyNode, cleanUp } = testNodes();

interface EpochHeader {
  readonly target: string;
  readonly creationTime: number;
  readonly epochStart: number;
}
const MOST = (1n << 256n) - 1n;
afterEach(cleanUp);

describe('consensus', () => {
  it('keeps adjacent heads within one block of each other', async () => {
    const node = await easyNode();
    await mineMany(node, 200);
    const heights = Object.values(node.cut().heights);
    expect(heights.reduce((sum, height) => sum + height)).toBe(200);
    // Petersen's diameter is 2.
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThanOrEqual(2);
  });

  it('follows the exact rule by default: the mean of four scaled targets, however large the step', async () => {
    const node = await easyNode({ blockDelay: 100, difficultyWindow: 4, genesisDifficulty: 4 });
    while (Object.values(node.cut().heights).some((height) => height < 4)) await mineOne(node);
    const object = { headers: { accept: 'application/json;blockheader-encoding=object' } };
    const headersOf = async (chain: number): Promise<EpochHeader[]> =>
      (await ask(`${node.url}/chain/${chain}/header`, object)).json<{ items: EpochHeader[] }>().items;
    const chains = await Promise.all([0, 2, 3, 5].map(headersOf));
    const target = (one: EpochHeader | undefined): bigint =>
      integerOfTarget(targetFromBytes(Buffer.from(one?.target ?? '', 'base64url')));
    // Chain 0 is braided with 2, 3 and 5; the fourth header of an epoch is that of height 3.
    const scaled = chains.map((headers) => {
      const last = headers[3];
      const micros = BigInt((last?.creationTime ?? 0) - (last?.epochStart ?? 0));
      const value = (micros * target(last) + 399_999n) / 400_000n;
      return value < MOST ? value : MOST;
    });
    expect(target(chains[0]?.[4])).toBe(scaled.reduce((sum, one) => sum + one) / 4n);
    expect(chains[0]?.[4]?.epochStart).toBe(chains[0]?.[3]?.creationTime);
  });

  it('mainnet01 by its name has ten chains, later twenty, and is mined from the real genesis blocks', async () => {
    const node = await easyNode({
      network: 'mainnet01',
      blockDelay: 0,
      genesisDifficulty: 0,
    });
    const info = (await ask(`${node.url}/info`)).json<{ nodeGraphHistory: [number, unknown][] }>();
    expect(info).toMatchObject({
      nodeNumberOfChains: 10,
      nodeVersion: 'mainnet01',
      nodeBlockDelay: 30_000_000,
    });
    expect(info.nodeGraphHistory.map(([height]) => height)).toEqual([852_054, 0]);
    await mineOne(node, 0);
    expect(node.cut().heights[0]).toBe(1);
    // What its genesis payload holds is not here.
    const { items } = (await ask(`${node.url}/chain/0/block`)).json<{
      items: { payloadWithOutputs: unknown }[];
    }>();
    expect(items.map(({ payloadWithOutputs }) => payloadWithOutputs === null)).toEqual([true, false]);
  });

  it('a client that lies about times makes blocks harder, step by step, and breaks nothing', async () => {
    const node = await easyNode({
      graph: 'singleton',
      blockDelay: 0.008,
      genesisDifficulty: 1,
    });
    const difficulties: bigint[] = [];
    let time = 0n;
    for (let i = 0; i < 17; i++) {
      const header = Uint8Array.from((await askWork(node)).bytes.subarray(36));
      time = time === 0n ? viewOf(header).getBigInt64(8, true) : time + 1n;
      viewOf(header).setBigInt64(8, time, true);
      difficulties.push(difficultyOf(targetFromBytes(header.subarray(-128, -96))));
      expect((await postSolved(node, solve(header))).status).toBe(204);
    }
    // A step after heights 3, 7, 11 and 15; the first epoch took 2 us, and the others 4 instead of 32. Targets are rounded up.
    const steps = [1, 1, 1, 15, 15, 15, 15, 127, 127, 127, 127, 1023, 1023, 1023, 1023, 8191, 8191];
    expect(difficulties).toEqual(steps.map(BigInt));
    expect(node.cut().heights).toEqual({ 0: 17 });
  });

  it('has one chain with headers of 178 bytes on test-singleton', async () => {
    const node = await easyNode({ network: 'test-singleton', graph: 'network' });
    const work = await askWork(node);
    expect(work.bytes).toHaveLength(4 + 32 + 178);
    await mineMany(node, 5);
    expect(node.cut().heights).toEqual({ 0: 5 });
  });
});

describe('settings', () => {
  it.each([
    [{ network: 'nowhere' }, 'network'],
    [{ listen: { host: '127.0.0.1', port: 70_000 } }, 'port'],
    [{ graph: 'cube' }, 'graph'],
    [{ graphs: [[5, 'pair']] }, 'graphs must'],
    [{ difficultyWindow: 2 }, 'difficultyWindow'],
    [{ blockDelay: -1 }, 'blockDelayMs'],
    [{ genesisDifficulty: 0.5 }, 'genesisDifficulty'],
  ])('%j is refused naming %s', async (options, named) => {
    await expect(startDevNode(options as DevNodeOptions)).rejects.toThrow(named);
  });
});
