import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SILENT } from '../../src/core/log.js';
import {
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/ledger/embedded.js';
import { lockFolder } from '../../src/ledger/folder-lock.js';
import { startTestPostgres, type TestPostgres, withTemporaryFolder } from '../helpers/postgres.js';

const CHILD = new URL('../../dist/test/ledger/postgres-owner.js', import.meta.url);
const isRoot = process.getuid?.() === 0;

async function ask(postgres: Pick<EmbeddedPostgres, 'connectionString'>, sql: string): Promise<string> {
  const client = new pg.Client({ connectionString: postgres.connectionString });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return String(rows[0]?.[0]);
  } finally {
    await client.end();
  }
}

async function postmasterPid(dataDir: string): Promise<number> {
  const file = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8');
  return Number(file.split('\n')[0]);
}

describe('embedded PostgreSQL', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.close());

  it('is durable, listens on loopback only, and is version 18', async () => {
    for (const [setting, value] of [
      ['fsync', 'on'],
      ['synchronous_commit', 'on'],
      ['full_page_writes', 'on'],
      ['listen_addresses', '127.0.0.1'],
      ['unix_socket_directories', ''],
      ['data_checksums', 'on'],
    ]) {
      expect(await ask(postgres, `SHOW ${setting}`)).toBe(value);
    }
    expect(await ask(postgres, 'SHOW server_version_num')).toMatch(/^18/);
  });

  it('lets nobody in without the password, which only its user may read', async () => {
    const url = new URL(postgres.connectionString);
    url.password = 'wrong';
    await expect(ask({ connectionString: url.href }, 'SELECT 1')).rejects.toThrow('password');
    const { mode } = await stat(join(postgres.dataDir, 'postgres/password'));
    expect(mode & 0o777).toBe(0o600);
    expect((await stat(join(postgres.dataDir, 'postgres'))).mode & 0o777).toBe(0o700);
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
      message: expect.stringContaining(`in use by process ${process.pid}`),
    });
    expect(await ask(postgres, 'SELECT 1')).toBe('1');
  });

  it('is found by commands beside the bridge', async () => {
    expect(await findEmbeddedPostgres(postgres.dataDir)).toBe(postgres.connectionString);
    await withTemporaryFolder(async (folder) => expect(await findEmbeddedPostgres(folder)).toBeUndefined());
  });

  it('is started again on the same port when it dies', async () => {
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
      await (await lockFolder(dataDir, 'postgres')).release();
    }));

  it('begins anew after a start that was interrupted half-way', () =>
    withTemporaryFolder(async (dataDir) => {
      await mkdir(join(dataDir, 'postgres/data.unfinished/base'), { recursive: true });
      const postgres = await startEmbeddedPostgres({ dataDir, log: SILENT });
      expect(await ask(postgres, 'SELECT 1')).toBe('1');
      await postgres.close();
    }));

  it.runIf(isRoot)('runs below a folder that only root may enter', () =>
    withTemporaryFolder(async (folder) => {
      await chmod(folder, 0o700);
      const dataDir = join(folder, 'data');
      const postgres = await startEmbeddedPostgres({ dataDir, log: SILENT });
      expect(await ask(postgres, 'SELECT 1')).toBe('1');
      const status = await readFile(`/proc/${await postmasterPid(dataDir)}/status`, 'utf8');
      expect(/^CapEff:\s+(\w+)/m.exec(status)?.[1]).toMatch(/^0{15}[24]$/);
      await postgres.close();
    }),
  );
});
