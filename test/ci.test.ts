/** What npm runs around an install and a start in a checkout, where something is missing. */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
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
  const json = ['src/web/api/examples.json', 'src/chain/openapi.json'];
  const read = ['src/ledger/sql/tables/1.sql', 'src/ledger/watch/asks.sql', ...json];
  for (const path of [...read, 'dist/src/main.js', 'dist/src/ledger/sql/tables/0-gone.sql']) {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), path);
  }
  expect(run('assets.js', checkout.path)).toEqual({ status: 0, stdout: '', stderr: '' });
  for (const path of read) expect(await readFile(at(`dist/${path}`), 'utf8')).toBe(path);
  await expect(stat(at('dist/src/ledger/sql/tables/0-gone.sql'))).rejects.toThrow('ENOENT');
  expect((await stat(at('dist/src/main.js'))).mode & 0o111).toBe(process.platform === 'win32' ? 0 : 0o111);
});
