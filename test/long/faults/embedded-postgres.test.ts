/** The embedded PostgreSQL after loss of power, on odd hosts, and where something of it is missing. One cluster, many starts. */
import { type ChildProcess, execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { explainFileError } from '../../../src/files/file-error.js';
import {
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/ledger/embedded/embedded.js';
import { ask, postmasterPid } from '../../helpers/books/ask-postgres.js';
import { newFolder } from '../../helpers/folder.js';

const CHILD = new URL('../../../dist/test/ledger/postgres/postgres-owner.js', import.meta.url);
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
/** Not where Node.js or this checkout lies in a folder of root's alone. */
const nobodyMayRunIt =
  isRoot &&
  spawnSync(process.execPath, ['--check', fileURLToPath(CHILD)], { uid: NOBODY, gid: NOBODY, cwd: '/' })
    .status === 0;
if (isRoot && !nobodyMayRunIt)
  process.stdout.write(
    'left out: PostgreSQL of an ordinary user, who may not enter the folder of Node.js or of this checkout\n',
  );

let dataDir = '';
const inside = (name: string): string => join(dataDir, 'postgres', name);
const start = (folder = dataDir): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres({ dataDir: folder, log: SILENT });

/** Starts, asks and stops. */
async function works(folder = dataDir): Promise<void> {
  const postgres = await start(folder);
  try {
    expect(await ask(postgres, 'SELECT 1')).toBe('1');
  } finally {
    await postgres.close();
  }
}

beforeAll(async () => {
  dataDir = await newFolder();
  await (await start()).close();
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

describe('after loss of power the embedded PostgreSQL starts', () => {
  it.each([
    ['empty', ''],
    ['garbage', '\0\0\x01garbage\n'],
    ['of a process that is gone', '4194303\n/somewhere\n'],
  ])('X6: though postmaster.pid is %s', async (_, content) => {
    await writeFile(inside('data/postmaster.pid'), content);
    await writeFile(inside('socket/.s.PGSQL.5432.lock'), content);
    await works();
  });

  it('X6: though the number in postmaster.pid is another process now, which is left alone', async () => {
    const owner = await stat(inside('data'));
    const ids = isRoot ? { uid: owner.uid, gid: owner.gid } : {};
    for (const one of isRoot ? [ids, {}] : [ids]) {
      const other = spawn('sleep', ['600'], { ...one, cwd: '/' });
      const lines = [other.pid, inside('data'), 1_700_000_000, 5432, inside('socket'), '', ''];
      await writeFile(inside('data/postmaster.pid'), lines.join('\n'));
      await works();
      expect(other.exitCode ?? other.signalCode).toBeNull();
      other.kill('SIGKILL');
    }
  });

  it.runIf(nobodyMayRunIt)(
    'X6: the same for an ordinary user, whose bridge and PostgreSQL were killed',
    async () => {
      const folder = await newFolder();
      await chown(folder, NOBODY, NOBODY);
      try {
        const first = await startAs(NOBODY, folder);
        await ask(first, 'CREATE TABLE kept AS SELECT 9 AS x');
        const pid = await postmasterPid(folder);
        await end(first.child);
        process.kill(pid, 'SIGKILL');
        const other = spawn('sleep', ['600'], { uid: NOBODY, gid: NOBODY, cwd: '/' });
        await writeFile(join(folder, 'postgres/data/postmaster.pid'), `${other.pid}\n`);
        const second = await startAs(NOBODY, folder);
        expect(await ask(second, 'SELECT x FROM kept')).toBe('9');
        expect((await stat(join(folder, 'postgres/data/base'))).uid).toBe(NOBODY);
        expect(other.signalCode).toBeNull();
        other.kill('SIGKILL');
        const left = await postmasterPid(folder);
        await end(second.child);
        process.kill(left, 'SIGKILL');
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});

it.runIf(nobodyMayRunIt)('A1: the folder of root goes over to a user of its own by chown -R', async () => {
  const folder = await newFolder();
  try {
    await works(folder);
    execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder]);
    await expect(start(folder)).rejects.toThrow(/belongs to the user nobody, and root runs the bridge/);
    const own = await startAs(NOBODY, folder);
    expect(await ask(own, 'SELECT 1')).toBe('1');
    own.child.send('close');
    await once(own.child, 'exit');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

describe('the embedded PostgreSQL on an odd host', () => {
  it('X10: starts where PGSSLMODE asks for TLS, as for another database', async () => {
    process.env['PGSSLMODE'] = 'require';
    try {
      await works();
    } finally {
      delete process.env['PGSSLMODE'];
    }
  });

  it.runIf(isRoot)('X10: starts where there is no 127.0.0.1', async () => {
    const postgres = await startAs(0, dataDir, ['unshare', '--net']);
    expect(await ask(postgres, 'SELECT 1')).toBe('1');
    postgres.child.send('close');
    await once(postgres.child, 'exit');
  });

  it('B16: needs no password file where it has a socket', async () => {
    await rm(inside('password'));
    await works();
    await writeFile(inside('password'), 'wrong\n');
    await works();
  });
});

describe('the embedded PostgreSQL where a path is too long for a socket', () => {
  let long = '';
  beforeAll(async () => {
    const folder = await newFolder();
    long = join(folder, 'x'.repeat(120));
    await mkdir(long);
    await (await start(long)).close();
  });
  afterAll(() => rm(join(long, '..'), { recursive: true, force: true }));

  it('B16: is reached by TCP with a password, and found by commands', async () => {
    const postgres = await start(long);
    try {
      expect(new URL(postgres.connectionString).hostname).toBe('127.0.0.1');
      expect(await findEmbeddedPostgres(long)).toBe(postgres.connectionString);
      const url = new URL(postgres.connectionString);
      url.password = 'wrong';
      await expect(ask({ connectionString: url.href }, 'SELECT 1')).rejects.toThrow('password');
    } finally {
      await postgres.close();
    }
  });

  it.each([
    ['wrong', 'wrong\n', /refuses its own bridge \(password authentication failed/],
    ['empty', '', /password is empty, and .*bring it back/],
    ['gone', undefined, /password is gone, and .*bring it back/],
  ])('B16: says what to do when the password file is %s', async (_, content, words) => {
    const file = join(long, 'postgres/password');
    await rm(file, { force: true });
    if (content !== undefined) await writeFile(file, content);
    await expect(start(long)).rejects.toThrow(words);
  });
});

describe('the embedded PostgreSQL of which something is missing', () => {
  it('X14: is not made anew in place of one that is gone', async () => {
    await rename(inside('data'), join(dataDir, 'aside'));
    await expect(start()).rejects.toMatchObject({
      code: 'data-gone',
      message: expect.stringMatching(/postgres\/data is gone.*bring it back.*begin with an empty ledger/),
    });
    await rename(join(dataDir, 'aside'), inside('data'));
    await works();
  });

  it('X14: says so when its data is not whole', async () => {
    await rename(inside('data/PG_VERSION'), join(dataDir, 'aside'));
    await expect(start()).rejects.toMatchObject({ code: 'data-gone' });
    await rename(join(dataDir, 'aside'), inside('data/PG_VERSION'));
  });

  it.runIf(isRoot)('X14: keeps its owner when root starts the folder of a user', async () => {
    await chown(dataDir, NOBODY, NOBODY);
    const before = await stat(inside('data'));
    await rm(join(dataDir, 'postgres.lock'));
    const there = (await readdir(dataDir)).sort();
    await expect(start()).rejects.toThrow(
      /belongs to the user nobody, and root runs the bridge: start .* as that user/,
    );
    expect(await stat(inside('data'))).toMatchObject({ uid: before.uid, gid: before.gid });
    expect((await readdir(dataDir)).sort()).toEqual(there);
    await chown(dataDir, 0, 0);
    await works();
  });

  it('X14: a read-only disk is told apart from a folder of somebody else', () => {
    const explain = (code: string) => (explainFileError({ code }, '/data') as Error).message;
    expect(explain('EROFS')).toMatch(/disk is read-only at \/data/);
    expect(explain('EACCES')).toMatch(/\/data may not be written: give its owner back/);
  });
});

/** An owner of the folder as a process of that user's, and its connection string. */
async function startAs(
  uid: number,
  folder: string,
  command: readonly string[] = [],
): Promise<{ readonly child: ChildProcess; readonly connectionString: string }> {
  const [execPath = process.execPath, ...rest] = command;
  const child = fork(CHILD, [folder], {
    uid,
    gid: uid,
    cwd: '/',
    execPath,
    execArgv: command.length > 0 ? [...rest, process.execPath] : [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [connectionString] = (await once(child, 'message')) as [string];
  return { child, connectionString };
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}
