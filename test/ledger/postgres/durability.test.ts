import { expect, it } from 'vitest';
import { tellOfPromise } from '../../../src/assembly/books/durability-check.js';
import { checkBooks } from '../../../src/commands/doctor/books.js';
import { BRIDGE_SETTINGS } from '../../../src/config/settings.js';
import { SILENT } from '../../../src/core/names/log.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { useBooks } from '../../helpers/books/books.js';
import { createDatabase } from '../../helpers/books/postgres.js';
import { loadConfig } from '../../helpers/stories/load-config.js';

const books = useBooks();

it('B9, C13: a database that keeps less than the promise needs, and a Redis that is away, are said at the start and by doctor', async () => {
  const url = await createDatabase(books);
  const loaded = loadConfig(BRIDGE_SETTINGS, {
    argv: ['--ledger-database-url', url, '--queue-redis-url', 'redis://127.0.0.1:1'],
    env: {},
  });
  const look = async (): Promise<string[]> => {
    const said: string[] = [];
    const warn = (fields: object, message: string): void =>
      void said.push(`${message} ${JSON.stringify(fields)}`);
    const ledger = await openLedger({ connectionString: url, log: SILENT });
    await tellOfPromise(loaded.config, ledger, { ...SILENT, warn });
    await ledger.close();
    return said;
  };
  expect((await look()).filter((line) => line.includes('synchronous_commit'))).toEqual([]);
  await books.pool.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
  const said = await look();
  expect(said.join('\n')).toMatch(
    /may be lost: synchronous_commit of the database is off; set synchronous_commit = on/,
  );
  expect(said.join('\n')).toMatch(
    /Redis at redis:\/\/127\.0\.0\.1:1 .*does not answer: shares wait in the share log/,
  );
  const [finding, redis] = await checkBooks(loaded);
  expect(redis).toMatchObject({
    state: 'fault',
    what: 'queue (Redis)',
    detail: expect.stringMatching(
      /^queue\.redisUrl: "redis:\/\/127\.0\.0\.1:1" \(flag --queue-redis-url\) does not answer: .*ECONNREFUSED/,
    ),
    advice: expect.stringContaining('does Redis run?'),
  });
  expect(finding).toMatchObject({ state: 'warning', detail: 'it works, but synchronous_commit is off' });
});
