/** What npm runs around an install and a start in a checkout, where something is missing. */
import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './helpers/folder.js';

const SCRIPTS = fileURLToPath(new URL('../.ci', import.meta.url));

/** A checkout with nothing installed or built. */
async function bareCheckout() {
  const folder = await temporaryFolder();
  await cp(SCRIPTS, join(folder.path, '.ci'), { recursive: true });
  return folder;
}

function run(script: string, checkout: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(checkout, '.ci', script)], {
    cwd: checkout,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

it('C14: after `npm ci --omit=dev` one sentence says that nothing was built, and how to', async () => {
  await using checkout = await bareCheckout();
  const { status, stdout, stderr } = run('prepare.js', checkout.path);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^stratum-bridge: nothing was built, .* To build: `npm ci`/);
});

it('fails an install whose build fails', async () => {
  await using checkout = await bareCheckout();
  await mkdir(join(checkout.path, 'node_modules/typescript'), { recursive: true });
  await writeFile(join(checkout.path, 'package.json'), '{"scripts":{"build":"node --eval process.exit(3)"}}');
  expect(run('prepare.js', checkout.path).status).not.toBe(0);
});

it('`npm start` says what to run first where nothing is built, and nothing elsewhere', async () => {
  await using checkout = await bareCheckout();
  expect(run('built.js', checkout.path)).toEqual({
    status: 1,
    stdout: '',
    stderr: 'stratum-bridge is not built yet. Run `npm ci && npm run build` first.\n',
  });
  await mkdir(join(checkout.path, 'dist/src'), { recursive: true });
  await writeFile(join(checkout.path, 'dist/src/main.js'), '');
  expect(run('built.js', checkout.path)).toEqual({ status: 0, stdout: '', stderr: '' });
});

it('puts beside what was compiled what it reads, and lets the program be run', async () => {
  await using checkout = await bareCheckout();
  const at = (path: string): string => join(checkout.path, path);
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
  };
  const read = ['src/ledger/sql/tables.sql', 'src/ledger/watch/asks.sql', 'src/chain/openapi.json'];
  for (const path of [...read, 'dist/src/main.js', 'dist/src/ledger/sql/gone.sql']) await put(path, path);
  await put('src/web/api/openapi.json', '{"info":"of the API"}');
  const writesPage = 'export const STYLE = "a style"; export const page = ({ info }) => "page " + info;';
  await put('dist/src/web/api/document/reference-page.js', writesPage);
  expect(run('assets.js', checkout.path)).toEqual({ status: 0, stdout: '', stderr: '' });
  for (const path of read) expect(await readFile(at(`dist/${path}`), 'utf8')).toBe(path);
  const made = {
    'index.html': 'page of the API',
    'reference.css': 'a style',
    'openapi.json': '{"info":"of the API"}',
  };
  for (const [name, text] of Object.entries(made))
    expect(await readFile(at(`dist/src/web/reference/${name}`), 'utf8')).toBe(text);
  await expect(stat(at('dist/src/ledger/sql/gone.sql'))).rejects.toThrow('ENOENT');
  expect((await stat(at('dist/src/main.js'))).mode & 0o111).toBe(process.platform === 'win32' ? 0 : 0o111);
});

/** A file that the compiler wrote, and all that it imports. */
async function withImports(
  file: string,
  files = new Map<string, string>(),
): Promise<ReadonlyMap<string, string>> {
  if (files.has(file)) return files;
  const text = await readFile(file, 'utf8');
  files.set(file, text);
  for (const [, path = ''] of text.matchAll(/^import .* from '(\.[^']+)';$/gm))
    await withImports(join(dirname(file), path), files);
  return files;
}

it('builds a program of ASCII, which V8 keeps in one byte a character', async () => {
  const built = (path: string): string => fileURLToPath(new URL(`../dist/${path}`, import.meta.url));
  const files = new Map(await withImports(built('workers/thread.js')));
  expect(files.keys()).toContain(built('src/core/work/header.js'));
  for (const name of ['main.js', ...(await readdir(built('src/chunks'))).map((chunk) => `chunks/${chunk}`)])
    files.set(name, await readFile(built(`src/${name}`), 'utf8'));
  const withOthers = [...files].filter(([, text]) => /[^\0-\x7f]/.test(text));
  expect(withOthers.map(([file]) => file)).toEqual([]);
});

describe.skipIf(process.platform === 'win32')('.ci/run, with an npm that only says what it is told', () => {
  async function ciRun(says: Record<'test' | 'test:ci-long', string>) {
    await using checkout = await bareCheckout();
    const npm = join(checkout.path, 'bin/npm');
    await mkdir(dirname(npm));
    const cases = Object.entries(says).map(([script, said]) => `"run ${script}") ${said};;`);
    await writeFile(npm, `#!/bin/sh\ncase "$*" in ci) ;; ${cases.join(' ')} *) exit 9;; esac\n`);
    await chmod(npm, 0o755);
    const { status, stdout } = spawnSync('bash', [join(checkout.path, '.ci/run')], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${dirname(npm)}:${process.env['PATH']}` },
    });
    const lines = stdout.trimEnd().split('\n');
    return { status, last: lines.at(-1), lines };
  }
  const total = (passed: number, failed: number): string =>
    `echo '${passed} passed, ${failed} failed, 3 skipped'`;

  it.each([
    ['adds up both runs', total(5, 0), total(2, 0), 0, '7 passed, 0 failed'],
    ['fails by a test of the first', `${total(4, 1)}; exit 1`, total(2, 0), 1, '6 passed, 1 failed'],
    ['fails by a test of the second', total(5, 0), `${total(0, 2)}; exit 1`, 1, '5 passed, 2 failed'],
    ['counts a build that fails', 'exit 2', total(2, 0), 1, '2 passed, 1 failed'],
    ['counts a process left behind', `${total(5, 0)}; exit 1`, total(2, 0), 1, '7 passed, 1 failed'],
    ['takes a run without tests for a failure', 'true', 'true', 1, '0 passed, 0 failed'],
  ])('%s', async (_, test, long, status, last) => {
    expect(await ciRun({ test, 'test:ci-long': long })).toMatchObject({ status, last });
  });

  it('ends with how each run closed: what is read of it may be its end alone', async () => {
    const test = `echo 'ok: 300 tests'; echo 'slowest files'; echo 'failed: holds'; ${total(4, 1)}; exit 1`;
    const { lines } = await ciRun({ test, 'test:ci-long': `echo 'no such file'; exit 2` });
    expect(lines.slice(-7)).toEqual([
      ...['npm run test:', 'slowest files', 'failed: holds', '4 passed, 1 failed, 3 skipped'],
      ...['npm run test:ci-long:', 'no such file', '4 passed, 2 failed'],
    ]);
  });
});
