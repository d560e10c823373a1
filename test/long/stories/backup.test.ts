/** The commands for backup and restore that src/ledger/README.md tells, as they are typed. */
import { readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startDevNode } from '../../../src/devnode/dev-node.js';
import type { Summary } from '../../../src/operations/state.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { runHere } from '../../helpers/processes/command.js';
import { type Program, runProgram, startProgram } from '../../helpers/processes/program.js';
import { measureHashes } from '../../helpers/rigs/measured-hashes.js';
import { until } from '../../helpers/until.js';
import { fetchAsReader } from '../../helpers/web/operators.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const PAGE = readFileSync(new URL('../../../src/ledger/README.md', import.meta.url), 'utf8');

/** Command lines of the section, without the program's name and what is said about them. */
function commands(): string[][] {
  const block = /## Backup and restore\n\n```\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? '';
  const lines = block.trim().split('\n');
  return lines.map((line) => line.replace(/ +#.*/, '').split(' ').slice(1));
}

async function sharesIn(bridge: Program): Promise<number> {
  const { web } = await bridge.ready();
  return ((await (await fetchAsReader(`${web}/api/v1/summary`)).json()) as Summary).ledger.shares ?? 0;
}

it('are what they say: dump while mining, restore, verify; and a copied folder goes on', async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const hashesIn = measureHashes('scalar');
  const node = await startDevNode({
    genesisDifficulty: Number(hashesIn(0.2)),
  });
  const serve = (...args: string[]): Program =>
    startProgram(
      [
        'serve',
        ...[
          '--node-urls',
          node.url,
          '--miner-account',
          ACCOUNT,
          '--stratum-tcp',
          'off',
          '--stratum-ws',
          'off',
          '--web-listen',
          '127.0.0.1:0',
        ],
        ...['--cpu-mode', 'always', '--cpu-threads', '1', '--cpu-kernel', 'scalar'],
        ...['--stratum-share-difficulty', hashesIn(0.2), ...args],
      ],
      {},
      cwd,
    );
  await using bridge = serve();
  await until('shares and a block', async () => (await sharesIn(bridge)) > 5);
  const [dump = [], restore = [], verify = []] = commands();
  expect([dump[1], restore[1], verify[1]]).toEqual(['dump', 'restore', 'verify']);
  const before = await sharesIn(bridge);
  expect(await runProgram(dump, {}, cwd)).toMatchObject({ code: 0, stderr: '' });
  bridge.kill('SIGTERM');
  expect(await bridge.ended).toBe(0);
  expect(await runProgram(restore, {}, cwd)).toMatchObject({ code: 0, stderr: '' });
  const books = (...args: string[]) => runHere('ledger', [...args, '--data-dir', join(cwd, 'restored')]);
  const again = await books('restore', join(cwd, 'books.dump'));
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('there are books here already')]);
  const nothing = await books('restore', 'nothing');
  expect(nothing).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no file nothing: is the path right?'),
  });
  const { code, text } = await runProgram(verify, {}, cwd);
  expect([code, text]).toEqual([0, expect.not.stringContaining('"passes": false')]);
  const restored = await books('accounts');
  expect(Number(JSON.parse(restored.text)[0].shares)).toBeGreaterThanOrEqual(before);

  await cp(join(cwd, 'data'), join(cwd, 'copied'), { recursive: true });
  await using copy = serve('--data-dir', 'copied');
  await until('the copy has them', async () => (await sharesIn(copy)) >= before);
  copy.kill('SIGTERM');
  expect(await copy.ended).toBe(0);
  await node.close();
});
