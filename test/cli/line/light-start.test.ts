/** What does no work loads nothing heavy: the files that the real program has loaded, as V8 tells them. */
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/folder.js';
import { MAIN } from '../../helpers/processes/program.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;

/** Besides tables of settings; of alerts the conditions, whose names are words of settings. */
const ROOMS = ['alerts', 'cli', 'commands', 'config', 'core', 'operations', 'values'];

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/** Packages, and rooms of ours, that it loads. */
async function loadedBy(
  args: readonly string[],
): Promise<{ packages: string[]; rooms: string[]; code: number | null }> {
  await using folder = await temporaryFolder();
  const { status } = spawnSync(process.execPath, [MAIN, ...args], {
    stdio: 'ignore',
    env: { ...process.env, NODE_V8_COVERAGE: folder.path },
  });
  const [file = ''] = await readdir(folder.path);
  const { result } = JSON.parse(await readFile(join(folder.path, file), 'utf8')) as Coverage;
  const urls = result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
  const modules = [...urls, ...(await Promise.all(urls.map(modulesIn))).flat()];
  const own = modules.filter((path) => /^src\/\w+(-\w+)*\//.test(path) && !isOfSettings(path));
  return {
    packages: named(modules, /(?:^|\/)node_modules\/([^/]+)/),
    rooms: named(own, /^src\/([^/]+)\//),
    code: status,
  };
}

/** The build puts many modules into one file, each under a line with its path. */
async function modulesIn(url: string): Promise<string[]> {
  const text = await readFile(fileURLToPath(url), 'utf8');
  return Array.from(text.matchAll(/^\/\/ ((?:src|node_modules)\/\S+)$/gm), ([, path = '']) => path);
}

/** Tables of settings, and the facts that they take from their rooms. */
function isOfSettings(path: string): boolean {
  return /\/(settings\/[\w-]+|(command-)?settings|target-values)\.ts$/.test(path) || FACTS.includes(path);
}

const FACTS = [
  'src/cpu/options.ts',
  'src/stratum/agents.ts',
  'src/stratum/admission/limits.ts',
  'src/devnode/consensus/chain-graph.ts',
  'src/devnode/consensus/known-networks.ts',
];

function named(urls: readonly string[], pattern: RegExp): string[] {
  const names = urls.flatMap((url) => pattern.exec(url)?.[1] ?? []);
  return [...new Set(names)].sort();
}

it.each([
  [['--help'], 0],
  [['--version'], 0],
  [['serve', '--help'], 0],
  [['ledger', 'payout', 'mark', '--help-all'], 0],
  [['serve', '--tpc', '1'], 2],
  [['dance'], 2],
])(
  '%j loads only commander and the schemas of what can be asked, and of ours only what it stands on',
  async (args, expected) => {
    const { packages, rooms, code } = await loadedBy(args);
    expect([code, packages]).toEqual([expected, ['commander', 'zod']]);
    expect(rooms).toEqual(ROOMS);
  },
);

it('keygen loads no more', async () => {
  const { packages, rooms, code } = await loadedBy(['keygen']);
  expect([code, packages, rooms]).toEqual([...[0, ['commander', 'zod']], ROOMS]);
});

it('a command that reads settings does load what reads them', async () => {
  expect((await loadedBy(['config'])).packages).toEqual(expect.arrayContaining(['commander', 'zod', 'yaml']));
});

it('a bridge that writes its log as JSON lines to no file does not load what makes files and words of them', async () => {
  const { packages, code } = await loadedBy([
    'serve',
    '--miner-account',
    ACCOUNT,
    '--data-dir',
    '/dev/null/none',
  ]);
  expect(code).toBe(1);
  expect(packages).toEqual(expect.arrayContaining(['pino', 'fastify', 'bullmq']));
  for (const heavy of ['pino-pretty', 'pino-roll', 'date-fns']) expect(packages).not.toContain(heavy);
});
