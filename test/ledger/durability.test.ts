import { expect, it } from 'vitest';
import { checkBooks } from '../../src/commands/doctor-checks.js';
import { tellOfPromise } from '../../src/commands/promise.js';
import { loadConfig } from '../../src/config/load.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { SILENT } from '../../src/core/log.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { useBooks } from '../helpers/books.js';
import { createDatabase } from '../helpers/postgres.js';

const books = useBooks();

it('B9: a database that keeps less than the promise needs is said at the start and by doctor', async () => {
  const url = await createDatabase(books);
  const { config } = loadConfig(BRIDGE_SETTINGS, {
    argv: ['--database-url', url, '--redis-url', 'redis://127.0.0.1:1'],
    env: {},
  });
  const look = async (): Promise<string[]> => {
    const said: string[] = [];
    const warn = (fields: object, message: string): void =>
      void said.push(`${message} ${JSON.stringify(fields)}`);
    const ledger = await openLedger({ connectionString: url, log: SILENT });
    await tellOfPromise(config, ledger, { ...SILENT, warn });
    await ledger.close();
    return said;
  };
  expect((await look()).filter((line) => line.includes('synchronous_commit'))).toEqual([]);
  await books.pool.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
  const said = await look();
  expect(said.join('\n')).toMatch(
    /may be lost: synchronous_commit of the database is off; set synchronous_commit = on/,
  );
  expect(said.join('\n')).toMatch(/whether the Redis keeps what it is given cannot be asked now/);
  const [finding] = await checkBooks(config);
  expect(finding).toMatchObject({ state: 'warning', detail: 'it works, but synchronous_commit is off' });
});
