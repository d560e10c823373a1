/** Blocks on disk, by processes: kept over restarts and kills, one node a directory. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blockHashOf } from '../../../src/core/bytes/block-hash.js';
import { toBase64Url } from '../../../src/core/bytes/bytes.js';
import { askerOf, type Header } from '../../conformance/asker.js';
import { ask, askWork, mineMany, mineOne, postSolved, solve } from '../../devnode/helpers.js';
import { type NodeProcess, startEasyProcess, startNodeProcess } from '../../devnode/process.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { runProgram } from '../../helpers/processes/program.js';
import { withSmallDisk } from '../../helpers/processes/small-disk.js';
import { until } from '../../helpers/until.js';

/** So large that a node keeps blocks on it, and so small that it is soon full. */
const SMALL_DISK_KB = 65_536;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

interface CutBody {
  readonly height: number;
  readonly weight: string;
  readonly hashes: Readonly<Record<string, { readonly hash: string; readonly height: number }>>;
}
const cutOf = async (node: NodeProcess): Promise<CutBody> => (await ask(`${node.url}/cut`)).json();

/** Every header has its parent and its adjacents, and the cut stands on them. Returns the hashes of all. */
async function wholeChain(node: NodeProcess, chains: number): Promise<Set<string>> {
  const { headers } = askerOf(() => node.url);
  const lists = await Promise.all(Array.from({ length: chains }, (_, chain) => headers(chain)));
  const all = new Map(lists.flat().map((header) => [header.hash, header]));
  for (const { height, parent, adjacents } of all.values()) {
    if (height === 0) continue;
    expect(all.get(parent)).toMatchObject({ height: height - 1 });
    for (const hash of Object.values(adjacents)) expect(all.get(hash)).toMatchObject({ height: height - 1 });
  }
  const { height, hashes } = await cutOf(node);
  const heads = Object.values(hashes);
  expect(heads.reduce((sum, head) => sum + head.height, 0)).toBe(height);
  for (const [chain, head] of Object.entries(hashes)) {
    const json = { upper: [head.hash] };
    const branch = await ask(`${node.url}/chain/${chain}/hash/branch`, { method: 'POST', json });
    expect(branch.json<{ items: string[] }>().items).toHaveLength(head.height + 1);
    const { payloadHash } = all.get(head.hash) as Header;
    expect((await ask(`${node.url}/chain/${chain}/payload/${payloadHash}/outputs`)).status).toBe(200);
  }
  return new Set(all.keys());
}

const ROUNDS = 4;
/** At least, in each round. */
const BLOCKS = 10;

describe('on disk', () => {
  it('a restart finds the same cut, blocks and payloads, and goes on', async () => {
    const flags = ['--data-dir', `${folder.path}/data`];
    let before: CutBody | undefined;
    let listing = '';
    {
      await using first = await startEasyProcess(...flags);
      await mineMany(first, 30);
      before = await cutOf(first);
      listing = (await ask(`${first.url}/chain/3/block`)).text;
    }
    await using second = await startEasyProcess(...flags);
    expect(await cutOf(second)).toEqual(before);
    expect((await ask(`${second.url}/chain/3/block`)).text).toBe(listing);
    await mineMany(second, 5);
    expect((await cutOf(second)).height).toBe(35);
  });

  it('kill -9 under load, again and again: the chain is whole, and every block answered 204 is there', async () => {
    const flags = ['--graph', 'triangle', '--data-dir', folder.path];
    const answered = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const node = await startEasyProcess(...flags);
      const known = await wholeChain(node, 3);
      for (const hash of answered) expect(known).toContain(hash);
      const before = answered.size;
      const miner = async (account: string): Promise<void> => {
        for (;;) {
          const header = await mineOne(node, undefined, {
            account,
            predicate: 'keys-all',
            'public-keys': ['aa'],
          });
          answered.add(toBase64Url(blockHashOf(header)));
        }
      };
      // Each ends with the connection.
      const miners = ['a', 'b', 'c'].map((account) => miner(account).catch(() => {}));
      await until('some blocks', () => answered.size >= before + BLOCKS);
      await new Promise((resolve) => setTimeout(resolve, round * 3));
      node.program.kill('SIGKILL');
      expect(await node.program.ended).toBe('SIGKILL');
      await Promise.all(miners);
    }
    await using node = await startEasyProcess(...flags);
    const known = await wholeChain(node, 3);
    expect(answered.size).toBeGreaterThanOrEqual(ROUNDS * BLOCKS);
    for (const hash of answered) expect(known).toContain(hash);
    await mineMany(node, 3);
  });

  it('a directory has one node at a time, and belongs to one network', async () => {
    const dataDir = ['--data-dir', folder.path];
    {
      await using node = await startEasyProcess(...dataDir);
      const second = await runProgram(['node', '--listen', '127.0.0.1:0', ...dataDir]);
      expect([second.code, second.stderr]).toEqual([
        1,
        expect.stringContaining(`process ${node.program.pid}`),
      ]);
      await mineOne(node);
    }
    const other = await runProgram(['node', '--listen', '127.0.0.1:0', '--network', 'testnet04', ...dataDir]);
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('blocks of another network')]);
    await using again = await startEasyProcess(...dataDir);
    expect((await cutOf(again)).height).toBe(1);
  });

  it('a port that is taken leaves no lock behind', async () => {
    await using first = await startEasyProcess();
    const listen = ['--listen', new URL(first.url).host];
    expect((await runProgram(['node', ...listen, '--data-dir', folder.path])).code).toBe(1);
    await using _second = await startNodeProcess('--data-dir', folder.path);
  });
});

describe('a disk that is full', () => {
  it('a block that cannot be written is 507 with a sentence; what was acknowledged stays; it goes on later', async () => {
    const reason = await withSmallDisk(fillAndFree, SMALL_DISK_KB);
    if (reason !== undefined) process.stderr.write(`LEFT OUT: a node on a full disk, because ${reason}\n`);
  });
});

async function fillAndFree(disk: string): Promise<void> {
  const flags = ['--graph', 'triangle', '--data-dir', join(disk, 'chain')];
  const filler = join(disk, 'filler');
  const acknowledged: string[] = [];
  {
    await using node = await startEasyProcess(...flags);
    const mine = async (): Promise<void> => {
      acknowledged.push(toBase64Url(blockHashOf(await mineOne(node))));
    };
    for (let i = 0; i < 20; i++) await mine();
    await writeFile(filler, Buffer.alloc(40 * 2 ** 20));
    const header = (await askWork(node)).bytes.subarray(36);
    const refused = await postSolved(node, solve(header));
    const said = expect.stringMatching(/^the block cannot be kept: /);
    expect([refused.status, refused.text]).toEqual([507, said]);
    expect((await cutOf(node)).height).toBe(20);
    expect((await askWork(node)).status).toBe(200);
    expect((await postSolved(node, solve((await askWork(node)).bytes.subarray(36)))).status).toBe(507);
    await rm(filler);
    // The same solution again: its payload was kept.
    expect((await postSolved(node, solve(header))).status).toBe(204);
    await mine();
    expect((await cutOf(node)).height).toBe(22);
  }
  await using node = await startEasyProcess(...flags);
  const known = await wholeChain(node, 3);
  for (const hash of acknowledged) expect(known).toContain(hash);
  expect((await cutOf(node)).height).toBe(22);
}
