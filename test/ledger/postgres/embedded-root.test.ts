/**
 * A bridge that runs as root, and the system user that its PostgreSQL runs as. That user is a stranger: it may be the one of
 * another database of the machine. It tries each way that once made it root.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chmod, chown, link, lstat, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import {
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/ledger/embedded/embedded.js';
import { ask, postmasterPid } from '../../helpers/books/ask-postgres.js';
import { newFolder } from '../../helpers/folder.js';

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

describe.runIf(isRoot)('the system user of PostgreSQL, where the bridge is root', () => {
  let dataDir = '';
  let closed = '';
  let secret = '';
  const language = process.env['LANG'];
  let postgres: EmbeddedPostgres | undefined;
  const inside = (name: string): string => join(dataDir, 'postgres', name);
  const server = (): EmbeddedPostgres => postgres ?? expect.fail('it does not run');
  const start = async (): Promise<void> => {
    postgres = await startEmbeddedPostgres({ dataDir, log: SILENT });
  };
  const stop = async (): Promise<void> => {
    await postgres?.close();
    postgres = undefined;
  };

  beforeAll(async () => {
    closed = await newFolder();
    dataDir = join(closed, 'data');
    secret = join(closed, 'secret');
    await writeFile(secret, 'precious\n', { mode: 0o600 });
    process.env['STRATUM_BRIDGE_SECRET'] = 'tops3cret';
    process.env['AWS_SECRET'] = 'tops3cret';
    process.env['PGPASSWORD'] = 'tops3cret';
    process.env['LANG'] = 'de_DE.UTF-8';
    await start();
  });
  afterAll(async () => {
    delete process.env['STRATUM_BRIDGE_SECRET'];
    delete process.env['AWS_SECRET'];
    delete process.env['PGPASSWORD'];
    if (language === undefined) delete process.env['LANG'];
    else process.env['LANG'] = language;
    await stop();
    await rm(closed, { recursive: true, force: true });
  });

  /** What a shell of that user's can do, also where the folders above are closed to it: it works in this folder. */
  const tryAs = (cwd: string, script: string): string => {
    const user = ['--reuid', server().systemUser, '--regid', String(gid()), '--clear-groups'];
    try {
      const shell = ['sh', '-c', `exec 2>&1; ${script}`];
      return execFileSync('setpriv', [...user, ...shell], { cwd, encoding: 'utf8' });
    } catch (error) {
      return String((error as { stdout?: string }).stdout);
    }
  };
  const gid = (): number => Number(execFileSync('id', ['-g', server().systemUser], { encoding: 'utf8' }));

  it('A1.1: makes and changes no name that root opens', async () => {
    for (const name of [
      'start.log',
      'password',
      'hba.conf',
      `hba.conf.${process.pid}.new`,
      'VERSION',
      'port',
      'data.unfinished',
    ]) {
      expect(tryAs(inside('.'), `rm -f ${name}; ln -s ${secret} ${name} && echo made`)).not.toMatch(/made/);
    }
    for (const name of ['data', 'socket'])
      expect(tryAs(inside('.'), `mv ${name} mine && echo moved`)).not.toMatch(/moved/);
    const pid = await postmasterPid(dataDir);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => ask(server(), 'SELECT 1').catch(() => '')).toBe('1');
    expect(await readFile(secret, 'utf8')).toBe('precious\n');
    for (const name of ['.', 'hba.conf', 'password', 'VERSION'])
      expect((await lstat(inside(name))).uid).toBe(0);
  });

  it('A1.2: gets nothing of root by naming a server of his own', async () => {
    let heard = '';
    const listener = createServer((socket) => socket.on('data', (chunk) => (heard += chunk)));
    await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
    const { port } = listener.address() as AddressInfo;
    tryAs(inside('data'), `sed -i '4s/.*/${port}/' postmaster.pid`);
    expect(await readFile(inside('data/postmaster.pid'), 'utf8')).toContain(String(port));
    const found = await findEmbeddedPostgres(dataDir);
    expect(found).toBe(server().connectionString);
    expect(heard).toBe('');
    await new Promise((done) => listener.close(done));
  });

  it('A1.2: hears no password of another database at a socket of his own', async () => {
    const socket = inside('socket/.s.PGSQL.5432');
    await rename(socket, `${socket}.aside`);
    let heard = '';
    const asksForPassword = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
    const listener = createServer((peer) => {
      peer.once('data', () => {
        peer.write(asksForPassword);
        peer.on('data', (chunk) => {
          heard += chunk;
          peer.destroy();
        });
      });
    });
    await new Promise<void>((done) => listener.listen(socket, done));
    expect(await findEmbeddedPostgres(dataDir)).toBeUndefined();
    await new Promise((done) => listener.close(done));
    await rename(`${socket}.aside`, socket);
    expect(heard).toMatch(/^p/);
    expect(heard).not.toContain('tops3cret');
  });

  it('A1.3: reads nothing that is closed to him by way of PostgreSQL, which has no capability', async () => {
    const program = `COPY (SELECT 1) TO PROGRAM 'cat ${secret} > copied'`;
    await expect(ask(server(), program)).rejects.toThrow('failed');
    expect(tryAs(inside('data'), `cat ${secret}`)).toMatch(/Permission denied/);
    const status = await readFile(`/proc/${await postmasterPid(dataDir)}/status`, 'utf8');
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'])
      expect(new RegExp(`^${set}:\\s+0+$`, 'm').test(status), set).toBe(true);
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.toBe('0');
  });

  it('A1.5: sees no secret of the bridge in the environment', async () => {
    const environment = await readFile(`/proc/${await postmasterPid(dataDir)}/environ`, 'utf8');
    expect(environment).not.toContain('tops3cret');
    const names = environment
      .split('\0')
      .flatMap((pair) => pair.split('=', 1))
      .filter(Boolean);
    // What a shell on the way sets for itself is none of the bridge's.
    const own = ['PWD', 'OLDPWD', 'SHLVL', '_', 'PGDATA', 'PG_OOM_ADJUST_FILE'];
    expect(names.filter((name) => !['PATH', 'LANG', 'TZ', ...own].includes(name))).toEqual([]);
    // Its words, and those of the programs that look into its folder, are read by the bridge.
    expect(environment.split('\0')).toContain('LANG=C');
  });

  it('A1.4: has root signal no process, and give away no file, by what lies in his folder', async () => {
    const roots = spawn('sleep', ['600']);
    await stop();
    await writeFile(inside('data/postmaster.pid'), `${roots.pid}\n${inside('data')}\n`);
    await symlink(secret, inside('data/link'));
    await start();
    expect(await ask(server(), 'SELECT 1')).toBe('1');
    expect(roots.exitCode ?? roots.signalCode).toBeNull();
    expect((await lstat(secret)).uid).toBe(0);
    roots.kill();
  });

  it('A1: has root read no more than a little of what lies in his folder', async () => {
    await stop();
    await rm(inside('data/postmaster.pid'), { force: true });
    await symlink('/dev/zero', inside('data/postmaster.pid'));
    await start();
    expect(await ask(server(), 'SELECT 1')).toBe('1');
  });

  it('A1: has root work in no folder that he may put another in place of', async () => {
    await stop();
    const { uid, gid: group } = await lstat(inside('data'));
    for (const [folder, owner, ofGroup, mode] of [
      [dataDir, 0, 0, 0o777],
      [dataDir, 0, 0, 0o1777],
      [dataDir, 0, group, 0o770],
      [closed, 0, 0, 0o777],
      [closed, uid, 0, 0o755],
    ] as const) {
      await chown(folder, owner, ofGroup);
      await chmod(folder, mode);
      await expect(start(), `${folder} ${mode.toString(8)}`).rejects.toMatchObject({
        code: 'no-permission',
        message: expect.stringMatching(
          /^the system user \S+, as which PostgreSQL runs, may change .*: give it to root/,
        ),
      });
      await chown(folder, 0, 0);
      await chmod(folder, 0o755);
    }
    // As folders for temporary files are.
    await chmod(closed, 0o1777);
    await start();
    await chmod(closed, 0o755);
    expect(await ask(server(), 'SELECT 1')).toBe('1');
  });

  it('A1: is told which folder he may not enter, and what to do', async () => {
    await stop();
    await chmod(closed, 0o700);
    await expect(start()).rejects.toMatchObject({
      code: 'system-user',
      message: expect.stringMatching(
        new RegExp(
          `^PostgreSQL runs as the system user \\S+, which may not enter ${closed} on the way to its data: let it in \\(chmod o\\+x ${closed}\\), `,
        ),
      ),
    });
    await chmod(closed, 0o711);
    await start();
    expect(await ask(server(), 'SELECT 1')).toBe('1');
  });

  it('A1: cannot have a lock file be another name of a file of root', async () => {
    await stop();
    await rm(join(dataDir, 'postgres.lock'));
    await link(secret, join(dataDir, 'postgres.lock'));
    await expect(start()).rejects.toThrow(/postgres\.lock has another name: remove it/);
    expect(await readFile(secret, 'utf8')).toBe('precious\n');
    await rm(join(dataDir, 'postgres.lock'));
  });

  it('A1: needs nothing that the umask of root takes away', async () => {
    await stop();
    const umask = process.umask(0o077);
    const folder = await newFolder();
    try {
      const other = await startEmbeddedPostgres({ dataDir: folder, log: SILENT });
      expect(await ask(other, 'SELECT 1')).toBe('1');
      expect((await lstat(join(folder, 'postgres/password'))).mode & 0o777).toBe(0o600);
      await other.close();
    } finally {
      process.umask(umask);
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('A1: what an earlier version left to him is taken back, and his links with it', async () => {
    await stop();
    const { uid, gid: group } = await lstat(inside('data'));
    execFileSync('chown', ['-R', `${uid}:${group}`, inside('.')]);
    await chmod(inside('.'), 0o700);
    await rm(inside('hba.conf'));
    await symlink(secret, inside('hba.conf'));
    await symlink(secret, inside('start.log'));
    await symlink(secret, inside(`hba.conf.${process.pid}.new`));
    await rm(inside('password'));
    await symlink(secret, inside('password'));
    await start();
    expect(await ask(server(), 'SELECT 1')).toBe('1');
    expect(await readFile(secret, 'utf8')).toBe('precious\n');
    expect((await lstat(secret)).mode & 0o777).toBe(0o600);
    expect(await lstat(inside('.'))).toMatchObject({ uid: 0, gid: group });
  });

  it('A1: a copy that root made of the data directory is given to him again', async () => {
    await stop();
    execFileSync('chown', ['-R', '0:0', dataDir]);
    await mkdir(inside('data/own'));
    await symlink(secret, inside('data/own/link'));
    await start();
    expect(await ask(server(), 'SELECT 1')).toBe('1');
    expect((await lstat(secret)).uid).toBe(0);
  });
});
