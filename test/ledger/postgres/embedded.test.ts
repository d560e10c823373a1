import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { lockFolder } from '../../../src/files/folder-lock.js';
import { findEmbeddedPostgres, startEmbeddedPostgres } from '../../../src/ledger/embedded/embedded.js';
import { ask, postmasterPid } from '../../helpers/books/ask-postgres.js';
import { startTestPostgres, type TestPostgres, withTemporaryFolder } from '../../helpers/books/postgres.js';

const CHILD = new URL('../../../dist/test/ledger/postgres/postgres-owner.js', import.meta.url);
const isRoot = process.getuid?.() === 0;

describe('embedded PostgreSQL', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startTestPostgres({ byTcp: false });
  });
  afterAll(() => postgres.close());

  it('B16: is durable, listens on no port, and is version 18', async () => {
    for (const [setting, value] of [
      ['fsync', 'on'],
      ['synchronous_commit', 'on'],
      ['full_page_writes', 'on'],
      ['listen_addresses', ''],
      ['data_checksums', 'on'],
    ]) {
      expect(await ask(postgres, `SHOW ${setting}`)).toBe(value);
    }
    expect(await ask(postgres, 'SHOW server_version_num')).toMatch(/^18/);
  });

  it('B16: lies in a folder that is closed to others, and so does its socket', async () => {
    const others = async (name: string): Promise<number> =>
      (await stat(join(postgres.dataDir, 'postgres', name))).mode & 0o007;
    expect(await others('.')).toBe(0);
    expect((await stat(join(postgres.dataDir, 'postgres/socket'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(postgres.dataDir, 'postgres/data'))).mode & 0o777).toBe(0o700);
    expect(await others('password')).toBe(0);
    expect(await ask(postgres, 'SHOW unix_socket_directories')).toContain('postgres/socket');
  });

  it.runIf(isRoot)('does not run as root', async () => {
    const pid = await postmasterPid(postgres.dataDir);
    const uid = /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
    expect(uid).not.toBe('0');
    expect(postgres.systemUser).toMatch(/^(postgres|nobody)$/);
  });

  it('refuses a second bridge on the same data directory, naming the first', async () => {
    await expect(startEmbeddedPostgres({ dataDir: postgres.dataDir, log: SILENT })).rejects.toMatchObject({
      code: 'in-use',
      message: expect.stringContaining(`is in use: who holds it says it is process ${process.pid};`),
    });
    expect(await ask(postgres, 'SELECT 1')).toBe('1');
  });

  it('is found by commands beside the bridge', async () => {
    expect(await findEmbeddedPostgres(postgres.dataDir)).toBe(postgres.connectionString);
    await withTemporaryFolder(async (folder) => expect(await findEmbeddedPostgres(folder)).toBeUndefined());
  });

  it('is started again at the same place when it dies', async () => {
    await ask(postgres, 'CREATE TABLE kept AS SELECT 7 AS x');
    process.kill(await postmasterPid(postgres.dataDir), 'SIGKILL');
    await expect.poll(() => ask(postgres, 'SELECT x FROM kept')).toBe('7');
  });
});

describe('embedded PostgreSQL over several starts', () => {
  it('goes on with the same data', () =>
    withTemporaryFolder(async (dataDir) => {
      const first = await startEmbeddedPostgres({ dataDir, log: SILENT });
      await ask(first, 'CREATE TABLE kept AS SELECT 8 AS x');
      const pid = await postmasterPid(dataDir);
      await first.close();
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
      const second = await startEmbeddedPostgres({ dataDir, log: SILENT });
      expect(await ask(second, 'SELECT x FROM kept')).toBe('8');
      await second.close();
    }));

  it('takes over from a bridge that was killed', () =>
    withTemporaryFolder(async (dataDir) => {
      const child = fork(CHILD, [dataDir], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      const [connectionString] = (await once(child, 'message')) as [string];
      await ask({ connectionString }, 'CREATE TABLE kept AS SELECT 9 AS x');
      child.kill('SIGKILL');
      await once(child, 'exit');
      const left = await postmasterPid(dataDir);
      expect(process.kill(left, 0)).toBe(true);
      const next = await startEmbeddedPostgres({ dataDir, log: SILENT });
      expect(await ask(next, 'SELECT x FROM kept')).toBe('9');
      expect(await postmasterPid(dataDir)).not.toBe(left);
      await next.close();
    }));

  it('says how to upgrade data of another major version', () =>
    withTemporaryFolder(async (dataDir) => {
      const data = join(dataDir, 'postgres/data');
      await mkdir(data, { recursive: true });
      await writeFile(join(data, 'PG_VERSION'), '15\n');
      await expect(startEmbeddedPostgres({ dataDir, log: SILENT })).rejects.toMatchObject({
        code: 'wrong-version',
        message: expect.stringMatching(
          /written by PostgreSQL 15, this bridge carries 18: .*ledger dump books\.dump.*ledger restore/,
        ),
      });
      lockFolder(dataDir, 'postgres').release();
    }));

  it('begins anew after a start that was interrupted half-way', () =>
    withTemporaryFolder(async (dataDir) => {
      await mkdir(join(dataDir, 'postgres/data.unfinished/base'), { recursive: true });
      const postgres = await startEmbeddedPostgres({ dataDir, log: SILENT });
      expect(await ask(postgres, 'SELECT 1')).toBe('1');
      await postgres.close();
    }));
});
