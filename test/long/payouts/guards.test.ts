/** Test 33 of `payouts.md`: each guard of payouts is taken out of a copy of the sources, and the test that is named with it fails there. */
import { spawn } from 'node:child_process';
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/folder.js';
import type { Guard } from '../../helpers/payouts/guards/guard.js';
import { GUARDS } from '../../helpers/payouts/guards.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COPIED = ['src', 'test', 'workers', 'config', 'dist', 'package.json', 'tsconfig.json'];
/** Where one without its guard waits for what does not come, that is a failure too. */
const PATIENCE_MS = 300_000;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  for (const name of COPIED) await cp(join(ROOT, name), join(folder.path, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
});
afterAll(() => folder[Symbol.asyncDispose]());

interface Outcome {
  readonly passed: readonly string[];
  /** Each with the first line of why. */
  readonly failed: readonly string[];
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** @param tests files, each with a part of titles: some are run by `npm test`, some by `test:long`. */
async function runCopied(tests: readonly Guard['test'][]): Promise<Outcome> {
  const isLong = ([file]: Guard['test']): boolean => file.startsWith('test/long/');
  const outcomes = [
    await runBy(
      ['test/vitest.config.ts'],
      tests.filter((test) => !isLong(test)),
    ),
    await runBy(['test/long/vitest.config.ts', '--project', 'long'], tests.filter(isLong)),
  ];
  return {
    passed: outcomes.flatMap(({ passed }) => passed),
    failed: outcomes.flatMap(({ failed }) => failed),
  };
}

async function runBy(config: readonly string[], tests: readonly Guard['test'][]): Promise<Outcome> {
  if (tests.length === 0) return { passed: [], failed: [] };
  const report = join(folder.path, 'report.json');
  // A run that dies has none, and not that of the one before.
  await rm(report, { force: true });
  const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--config', ...config];
  const titles = tests.map(([, title]) => title.replace(/[^\w ,:']/g, '.'));
  const which = ['--testNamePattern', titles.join('|'), ...new Set(tests.map(([file]) => file))];
  const how = ['--testTimeout', String(PATIENCE_MS), '--reporter', 'json', '--outputFile', report];
  const child = spawn(process.execPath, [...args, ...how, ...which], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await ended;
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report;
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  // A file that cannot even be read has no test that failed.
  const broken = testResults.find(
    ({ assertionResults, status }) => assertionResults.length === 0 && status === 'failed',
  );
  if (broken) throw new Error(`${broken.name} cannot be run: ${broken.message} ${said} ${complained}`);
  const having = (wanted: string) => all.filter(({ status }) => status === wanted);
  return {
    passed: having('passed').map(({ fullName }) => fullName),
    failed: having('failed').map(
      ({ fullName, failureMessages: [why = ''] }) => `${fullName}: ${firstLine(why)}`,
    ),
  };
}

const firstLine = (words: string): string => words.split('\n', 1)[0] ?? '';

/** Resolves with what puts it back. */
async function takeOut({ file, with: there, without }: Guard): Promise<() => Promise<void>> {
  const path = join(folder.path, file);
  const whole = await readFile(path, 'utf8');
  const parts = whole.split(there);
  expect(parts, `"${there}" stands once in ${file}`).toHaveLength(2);
  await writeFile(path, parts.join(without));
  return () => writeFile(path, whole);
}

describe('33: payouts', () => {
  it('pass all of these tests with all of their guards', async () => {
    const { passed, failed } = await runCopied(GUARDS.map(({ test }) => test));
    expect(failed).toEqual([]);
    for (const { name, test } of GUARDS)
      expect(
        passed.filter((title) => title.includes(test[1])),
        name,
      ).not.toEqual([]);
  });

  it.each(GUARDS)('without $name fail a test', async (guard) => {
    const putBack = await takeOut(guard);
    try {
      const { failed } = await runCopied([guard.test]);
      process.stdout.write(`without ${guard.name}\n${failed.map((one) => `  ${one}\n`).join('')}`);
      expect(failed, 'tests that failed').not.toEqual([]);
    } finally {
      await putBack();
    }
  });
});
