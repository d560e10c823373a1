import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockFolder } from '../../src/files/folder-lock.js';
import { temporaryFolder } from '../helpers/folder.js';

const hasNamespaces = spawnSync('unshare', ['--net', '--pid', '--fork', '--mount', 'true']).status === 0;
const MODULE = new URL('../../dist/src/files/folder-lock.js', import.meta.url).href;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** A process that holds the lock until it is killed, started by this command. */
async function holder(...command: readonly string[]) {
  const code = `(await import('${MODULE}')).lockFolder(${JSON.stringify(folder.path)}, 'bridge'); console.log('held'); setInterval(() => {}, 1e6)`;
  const [program = process.execPath, ...args] = [...command, process.execPath];
  const child = spawn(program, [...args, '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

describe('the lock of a folder', () => {
  it('B7: is one at a time in a process too, and leaves no program running', async () => {
    const lock = lockFolder(folder.path, 'bridge');
    expect(() => lockFolder(folder.path, 'bridge')).toThrow(
      `is in use: who holds it says it is process ${process.pid}; stop that one first`,
    );
    lockFolder(folder.path, 'other').release();
    expect(spawnSync('pgrep', ['--parent', String(process.pid), 'flock'], { encoding: 'utf8' }).stdout).toBe(
      '',
    );
    lock.release();
    lockFolder(folder.path, 'bridge').release();
  });

  it('is released once: to release it again does not release what was locked since', () => {
    const first = lockFolder(folder.path, 'bridge');
    first.release();
    const second = lockFolder(folder.path, 'bridge');
    first.release();
    expect(() => lockFolder(folder.path, 'bridge')).toThrow('is in use');
    second.release();
  });

  it('B7: goes with a process that is killed', async () => {
    const child = await holder();
    expect(() => lockFolder(folder.path, 'bridge')).toThrow(`process ${child.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    lockFolder(folder.path, 'bridge').release();
  });

  it.runIf(hasNamespaces)('B7: holds between containers on one volume', async () => {
    const child = await holder('unshare', '--net', '--pid', '--fork', '--kill-child', '--mount');
    expect(() => lockFolder(folder.path, 'bridge')).toThrow(expect.objectContaining({ code: 'in-use' }));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect.poll(() => lockFolder(folder.path, 'bridge').release()).toBe(undefined);
  });

  it.runIf(process.getuid?.() === 0)(
    'A8: is not to be had by a user who may not write in the folder',
    async () => {
      const nobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
      const [program = '', ...args] = [...nobody, 'flock', '-n', join(folder.path, 'bridge.lock'), 'true'];
      expect(spawnSync(program, args, { encoding: 'utf8' }).stderr).toMatch(/Permission denied/);
    },
  );

  it('B7: counts only for the file that is there', async () => {
    const first = lockFolder(folder.path, 'gone');
    expect(await readFile(join(folder.path, 'gone.lock'), 'utf8')).toBe(`${process.pid}\n`);
    first.release();
    await rm(join(folder.path, 'gone.lock'));
    await writeFile(join(folder.path, 'gone.lock'), 'not a number');
    const second = lockFolder(folder.path, 'gone');
    expect(() => lockFolder(folder.path, 'gone')).toThrow(`process ${process.pid}`);
    second.release();
  });
});

it.runIf(process.platform === 'linux')('says what is missing where there is no program flock', () => {
  const path = process.env['PATH'];
  process.env['PATH'] = '/nowhere';
  try {
    expect(() => lockFolder(folder.path, 'bridge')).toThrow(
      `${folder.path} cannot be locked: there is no program \`flock\`: install it (util-linux)`,
    );
  } finally {
    process.env['PATH'] = path;
  }
});
