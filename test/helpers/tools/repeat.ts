/**
 * One test file over and over, alone and beside a busy core: what fails once in fifty is found here, not by a newcomer.
 * Run by `npm run test:repeat -- FILE [TIMES]`. The output of runs that failed is kept.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const TIMES = 30;
/** Ends with whoever started it, also when that one is killed. */
const BUSY = 'const parent = process.ppid; while (process.ppid === parent) for (let i = 0; i < 1e8; i++);';

interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Names of the tests that failed, or why none ran; empty when all is well. */
async function runOnce(file: string, outputBase: string): Promise<string[]> {
  const config = file.includes('test/long/') ? 'test/long/vitest.config.ts' : 'test/vitest.config.ts';
  const json = `${outputBase}.json`;
  const child = spawn(
    process.execPath,
    [
      ...['node_modules/vitest/vitest.mjs', 'run', '--config', config, '--retry', '0', file],
      ...['--reporter', 'default', '--reporter', 'json', '--outputFile.json', json],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { PROPERTY_SEED: 'random', ...process.env, NO_COLOR: '1' } },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  const failing = code === 0 ? [] : await failingOf(json, code);
  await rm(json, { force: true });
  if (failing.length > 0) await writeFile(`${outputBase}.log`, output);
  return failing;
}

async function failingOf(json: string, code: number | null): Promise<string[]> {
  const { testResults } = JSON.parse(
    await readFile(json, 'utf8').catch(() => '{"testResults":[]}'),
  ) as Report;
  const names = testResults.flatMap(({ assertionResults, message }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    return failed.length > 0 || message === '' ? failed.map(({ fullName }) => fullName) : [message];
  });
  return names.length > 0 ? names : [`no test failed, yet it ended with ${code}`];
}

/** Prints what became of `times` runs; true when none failed. */
async function runTimes(mode: string, file: string, times: number, folder: string): Promise<boolean> {
  const counts = new Map<string, number>();
  let failed = 0;
  for (let i = 1; i <= times; i++) {
    const failing = await runOnce(file, join(folder, `${mode.replaceAll(' ', '-')}-${i}`));
    if (failing.length > 0) failed++;
    for (const name of failing) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const lines = [`${file}, ${mode}: ${times - failed} passed, ${failed} failed`];
  for (const [name, count] of counts) lines.push(`  ${count} times: ${name}`);
  process.stdout.write(`${lines.join('\n')}\n`);
  return failed === 0;
}

async function besideBusyCore<T>(run: () => Promise<T>): Promise<T> {
  const busy: ChildProcess = spawn(process.execPath, ['--eval', BUSY], { stdio: 'ignore' });
  try {
    return await run();
  } finally {
    busy.kill('SIGKILL');
  }
}

async function main(file: string | undefined, times: number): Promise<number> {
  if (file === undefined || !existsSync(file) || !Number.isInteger(times) || times < 1) {
    process.stderr.write(
      'npm run test:repeat -- FILE [TIMES]: FILE is a test file, TIMES a whole number from 1\n',
    );
    return 2;
  }
  const folder = await mkdtemp(join(tmpdir(), `repeat-${basename(file, '.test.ts')}-`));
  const alone = await runTimes('alone', file, times, folder);
  const busy = await besideBusyCore(() => runTimes('beside a busy core', file, times, folder));
  if (alone && busy) await rm(folder, { recursive: true });
  else process.stdout.write(`what the failed runs said is in ${folder}\n`);
  return alone && busy ? 0 : 1;
}

process.exitCode = await main(process.argv[2], Number(process.argv[3] ?? TIMES));
