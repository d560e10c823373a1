/** X9: what waits in a queue that is not used any more is said at the start. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { rememberQueue } from '../../src/assembly/books/former-queues.js';
import { SILENT } from '../../src/core/names/log.js';
import type { QueueConnection } from '../../src/queue/bullmq/connection.js';
import { EntryQueue } from '../../src/queue/bullmq/entry-queue.js';
import { startShareRecorder } from '../../src/queue/recording/recorder.js';
import { encodeEntry } from '../../src/queue/shipping/entry.js';
import { useBooks } from '../helpers/books/books.js';
import { findRedis, startTestRedis } from '../helpers/books/redis.js';
import { temporaryFolder } from '../helpers/folder.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';

/** Of a look into a queue: one that did not answer in time would be told as one that cannot be looked into. */
const PATIENCE_MS = 10_000;

const books = useBooks();
const redisIsMissing = (await findRedis()) !== undefined;

async function addOne(connection: QueueConnection): Promise<void> {
  const adder = new EntryQueue(connection, SILENT, PATIENCE_MS);
  await adder.add(
    encodeEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares: [makeShare()], rejections: [] })),
  );
  await adder.close();
}

/** A start and a stop: what it says of other queues. */
async function start(
  dataDir: string,
  connection: QueueConnection,
  databaseUrl?: string,
  pool = books.pool,
): Promise<object[]> {
  const said: object[] = [];
  const log = { ...SILENT, warn: (fields: object, words: string) => said.push({ ...fields, words }) };
  const former = await rememberQueue({
    ...{ folder: dataDir, dataDir },
    connection,
    databaseUrl,
    pool,
    log,
    patienceMs: PATIENCE_MS,
  });
  await former.looked;
  await former.close();
  return said;
}

describe('a queue that cannot be looked into', () => {
  const given = (): [QueueConnection, string] => [
    { backend: 'postgres', connectionString: books.connectionString },
    books.connectionString,
  ];

  it('X9: of the embedded PostgreSQL of this data directory is named until it was emptied, also the first time', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'postgres', 'data'), { recursive: true });
    await writeFile(join(folder.path, 'postgres', 'data', 'PG_VERSION'), '18\n');
    const unknown = {
      queue: 'embedded',
      entries: 'unknown',
      words: expect.stringContaining('once without ledger.databaseUrl'),
    };
    expect(await start(folder.path, ...given())).toMatchObject([unknown]);
    expect(await start(folder.path, ...given())).toMatchObject([unknown]);
    const [own] = given();
    expect(await start(folder.path, own)).toEqual([]);
    expect(await start(folder.path, ...given())).toEqual([]);
    expect(await start(folder.path, ...given())).toEqual([]);
  });

  it('X9: of the ledger is named as it was left, when the database is away at the next start', async () => {
    await using folder = await temporaryFolder();
    const place = new URL(books.connectionString);
    const left = { queue: `postgres://${place.host}${place.pathname}`, entries: 7 };
    await writeFile(join(folder.path, 'queues.json'), JSON.stringify({ v: 1, current: left, former: [] }));
    const away = new pg.Pool({ host: '127.0.0.1', port: 1 });
    const redis: QueueConnection = { backend: 'redis', url: 'redis://127.0.0.1:1' };
    expect(await start(folder.path, redis, books.connectionString, away)).toMatchObject([left]);
    await away.end();
  });
});

describe.skipIf(redisIsMissing)('a queue that is not used any more', () => {
  it('X9: is looked into at each start until nothing waits in it, and no secret is written down', async () => {
    await using folder = await temporaryFolder();
    const redis = await startTestRedis();
    const postgres: QueueConnection = { backend: 'postgres', connectionString: books.connectionString };
    const onRedis: QueueConnection = { backend: 'redis', url: redis.url };
    expect(await start(folder.path, postgres)).toEqual([]);
    await addOne(postgres);
    expect(await start(folder.path, onRedis)).toMatchObject([{ queue: 'embedded', entries: 1 }]);
    expect(await start(folder.path, onRedis)).toMatchObject([{ queue: 'embedded', entries: 1 }]);
    await addOne(onRedis);
    const [other] = await start(folder.path, postgres);
    expect(other).toMatchObject({ queue: expect.stringMatching(/^redis:/), entries: 1 });
    await redis.kill();
    // It was full when it was last looked into.
    expect(await start(folder.path, postgres)).toMatchObject([{ entries: 1, error: expect.any(String) }]);
    await redis.start();
    const recorders = [postgres, onRedis].map((connection) =>
      startShareRecorder({ connection, ledger: books.ledger, log: SILENT }),
    );
    await expect.poll(async () => (await books.ledger.totals()).shares).toBe(2);
    for (const recorder of recorders) await recorder.close();
    await expect.poll(() => start(folder.path, onRedis)).toEqual([]);
    expect(await start(folder.path, postgres)).toEqual([]);
    await redis.close();
  });

  it('X9: is named without user, password and options, and another database is told from this one', async () => {
    await using folder = await temporaryFolder();
    const at = (name: string): QueueConnection => {
      const url = new URL(books.connectionString);
      return {
        backend: 'postgres',
        connectionString: `postgres://operator:s3cret@${url.host}/${name}?sslmode=disable`,
      };
    };
    const [one, two] = [at('one'), at('two')] as { connectionString: string; backend: 'postgres' }[];
    await start(folder.path, one as QueueConnection, one?.connectionString);
    const said = await start(folder.path, two as QueueConnection, two?.connectionString);
    expect(said).toMatchObject([{ queue: expect.stringMatching(/\/one$/), entries: 'unknown' }]);
    const text = await readFile(join(folder.path, 'queues.json'), 'utf8');
    expect(text).not.toMatch(/operator|s3cret|sslmode/);
  });
});
