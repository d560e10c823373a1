import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockFolder, lockFolderByFile } from '../../../src/ledger/folder/folder-lock.js';
import { temporaryFolder } from '../../helpers/folder.js';

const hasFlock = spawnSync('flock', ['--version']).status === 0;
const hasNamespaces = spawnSync('unshare', ['--net', '--pid', '--fork', '--mount', 'true']).status === 0;
const MODULE = new URL('../../../dist/src/ledger/folder/folder-lock.js', import.meta.url).href;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** A process that holds the lock until it is killed, started by this command. */
async function holder(...command: readonly string[]) {
  const code = `await (await import('${MODULE}')).lockFolder(${JSON.stringify(folder.path)}, 'bridge'); console.log('held'); setInterval(() => {}, 1e6)`;
  const [program = process.execPath, ...args] = [...command, process.execPath];
  const child = spawn(program, [...args, '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

describe.runIf(hasFlock)('the lock of a folder', () => {
  it('B7: is one at a time in a process too, and leaves no program running', async () => {
    const lock = await lockFolder(folder.path, 'bridge');
    await expect(lockFolder(folder.path, 'bridge')).rejects.toThrow(
      `is in use: who holds it says it is process ${process.pid}; stop that one first`,
    );
    await (await lockFolder(folder.path, 'other')).release();
    expect(spawnSync('pgrep', ['--parent', String(process.pid), 'flock'], { encoding: 'utf8' }).stdout).toBe(
      '',
    );
    await lock.release();
    await (await lockFolder(folder.path, 'bridge')).release();
  });

  it('B7: goes with a process that is killed', async () => {
    const child = await holder();
    expect(() => lockFolderByFile(folder.path, 'bridge')).toThrow(`process ${child.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await lockFolder(folder.path, 'bridge')).release();
  });

  it.runIf(hasNamespaces)('B7: holds between containers on one volume', async () => {
    const child = await holder('unshare', '--net', '--pid', '--fork', '--kill-child', '--mount');
    await expect(lockFolder(folder.path, 'bridge')).rejects.toMatchObject({ code: 'in-use' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect.poll(async () => (await lockFolder(folder.path, 'bridge')).release()).toBe(undefined);
  });

  it.runIf(process.platform === 'linux')('A8: is no name that any user can take', async () => {
    await chmod(folder.path, 0o755);
    const { dev, ino } = await stat(folder.path, { bigint: true });
    const hash = createHash('sha256').update(`${dev}:${ino} bridge`).digest('hex').slice(0, 32);
    const squatter = createServer((socket) => socket.end('1'));
    await new Promise<void>((done) => squatter.listen(`\0stratum-bridge-${hash}`, done));
    await (await lockFolder(folder.path, 'bridge')).release();
    squatter.close();
    expect((await stat(join(folder.path, 'bridge.lock'))).mode & 0o077).toBe(0);
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
    const first = await lockFolder(folder.path, 'gone');
    expect(await readFile(join(folder.path, 'gone.lock'), 'utf8')).toBe(`${process.pid}\n`);
    await first.release();
    await rm(join(folder.path, 'gone.lock'));
    await writeFile(join(folder.path, 'gone.lock'), 'not a number');
    const second = await lockFolder(folder.path, 'gone');
    await expect(lockFolder(folder.path, 'gone')).rejects.toThrow(`process ${process.pid}`);
    await second.release();
  });
});

it('B7: falls back on a name where there is no program flock', async () => {
  const path = process.env['PATH'];
  process.env['PATH'] = '/nowhere';
  try {
    const lock = await lockFolder(folder.path, 'bridge');
    await expect(lockFolder(folder.path, 'bridge')).rejects.toThrow(`process ${process.pid};`);
    expect(lockFolderByFile(folder.path, 'bridge')).toBeUndefined();
    await lock.release();
  } finally {
    process.env['PATH'] = path;
  }
});
