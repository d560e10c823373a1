/** `ledger entry`: what was set aside is listed, booked when it can be, and forgotten only when told so. */

import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import type { Share } from '../../src/core/shares/share.js';
import { bridgeFolder } from '../../src/files/bridge-folders.js';
import type { QueueConnection } from '../../src/queue/bullmq/connection.js';
import { EntryQueue } from '../../src/queue/bullmq/entry-queue.js';
import { startShareRecorder } from '../../src/queue/recording/recorder.js';
import { openShareQueue } from '../../src/queue/share-queue.js';
import { type EncodedEntry, encodeEntry } from '../../src/queue/shipping/entry.js';
import { useBooks } from '../helpers/books/books.js';
import { findRedis, startTestRedis } from '../helpers/books/redis.js';
import { temporaryFolder } from '../helpers/folder.js';
import { runHere } from '../helpers/processes/command.js';
import { append, entryOf, makeShare } from '../helpers/rigs/shares.js';

const redisIsMissing = (await findRedis()) !== undefined;
const books = useBooks();

interface Answer {
  readonly code: number;
  readonly rows: Record<string, unknown>[];
  readonly stderr: string;
}

async function queue(...words: string[]): Promise<Answer> {
  const argv = ['entry', ...words, '--ledger-database-url', books.connectionString];
  const { code, text, stderr } = await runHere('ledger', argv);
  const json = text === '' ? [] : JSON.parse(text);
  return { code, stderr, rows: Array.isArray(json) ? json : json.entries };
}

it('B1, B10: lists, retries and drops what the database refused and what no recorder can read, all among many', async () => {
  expect(await queue('list')).toMatchObject({ code: 0, rows: [] });
  expect((await queue('drop')).code).toBe(2);
  expect((await queue('mend')).stderr).toContain('there are list, retry, drop');

  const connection: QueueConnection = { backend: 'postgres', connectionString: books.connectionString };
  const adder = new EntryQueue(connection, SILENT, 20_000);
  onTestFinished(() => adder.close());
  const entry = (shares: Share[]): EncodedEntry =>
    encodeEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections: [] }));
  const good = (count: number): EncodedEntry[] => Array.from({ length: count }, () => entry([makeShare()]));
  const poisoned = ['x1', 'x2', 'y'].map((rig) => makeShare({ rig }));
  const unreadable: EncodedEntry = { ...entry([makeShare()]), sums: [[9, 1, 0, 1, '1', '0', 1]] };
  const noTime: EncodedEntry = { ...entry([makeShare()]), watermarkMs: 1e300 };
  const all = [...good(20), unreadable, ...good(20), entry(poisoned), ...good(20), noTime, ...good(20)];
  await books.pool.query("ALTER TABLE rig ADD CONSTRAINT no_x CHECK (name NOT LIKE 'x%')");
  for (const one of all) await adder.add(one);
  const recorder = startShareRecorder({ connection, ledger: books.ledger, log: SILENT });
  onTestFinished(() => recorder.close());
  const errors = async (): Promise<string[]> => (await queue('list')).rows.map(({ error }) => String(error));
  const why = ['no_x', 'no_x', 'no rig 9', 'out of range'].map((words) => expect.stringContaining(words));
  await expect.poll(async () => (await errors()).toSorted()).toEqual(expect.arrayContaining(why));
  await expect.poll(async () => (await books.ledger.totals()).shares).toBe(81);

  const { rows } = await queue('list');
  expect(rows.slice(0, 2)).toMatchObject([
    { account: 'k:a', rig: 'x1', shares: 1, work: '1000', error: expect.stringContaining('no_x') },
    { account: 'k:a', rig: 'x2', shares: 1, work: '1000' },
  ]);
  const idOf = (words: string): string =>
    String(rows.find(({ error }) => String(error).includes(words))?.['id']);
  const [unread, refused] = [idOf('no rig 9'), idOf('out of range')];
  const [first, second] = rows.map(({ id }) => String(id));
  expect(await queue('retry', first ?? '')).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('still refused') },
  });
  await books.pool.query('ALTER TABLE rig DROP CONSTRAINT no_x');
  expect((await queue('drop', second ?? '')).rows).toEqual([{ id: second, shares: 1, outcome: 'dropped' }]);
  const again = 'handed to the recorders again';
  const retried = (await queue('retry')).rows;
  expect(retried[0]).toEqual({ id: first, shares: 1, outcome: 'booked' });
  expect(retried.slice(1)).toEqual(
    expect.arrayContaining([unread, refused].map((id) => ({ id, shares: 1, outcome: again }))),
  );
  expect((await books.ledger.totals()).shares).toBe(82);
  // They cannot be booked this time either.
  await expect.poll(async () => (await queue('list')).rows.length).toBe(2);
  for (const id of [unread, refused]) {
    expect(await queue('drop', id)).toMatchObject({ stderr: '', rows: [{ outcome: 'dropped' }] });
    expect(await queue('drop', id)).toMatchObject({ code: 1, stderr: expect.stringContaining('no entry') });
  }
  expect((await queue('list')).rows).toEqual([]);
  const { code, text } = await runHere('ledger', ['verify', '--ledger-database-url', books.connectionString]);
  const proofs = JSON.parse(text) as { name: string; noted: string }[];
  expect(code).toBe(0);
  // People are told how many pass, and shown those that do not, or say more.
  const where = ['--ledger-database-url', books.connectionString];
  const seen = await runHere('ledger', ['verify', ...where], {}, { columns: 80 });
  expect(seen.text).toMatch(
    new RegExp(`^name [^]*\nwithout [^]*\n${proofs.length} of ${proofs.length} checks pass$`),
  );
  const words =
    /at .* gave up 1 shares of work 1 of .* as far as that could be counted; .* gave up 1 shares of work 1000 of .*: a part of/;
  expect(proofs.find(({ name }) => name === 'without')?.noted).toMatch(words);
});

it('B1: lists and books what the ledger has set aside although the queue is away, and says so', async () => {
  await books.pool.query("ALTER TABLE rig ADD CONSTRAINT no_z CHECK (name NOT LIKE 'z%')");
  const id = { log: randomUUID(), number: 1 };
  await books.ledger.recordEntry(entryOf({ id, shares: [makeShare({ rig: 'z1' })], rejections: [] }));
  const away = ['--queue-redis-url', 'redis://127.0.0.1:1'];
  const words = /the queue cannot be asked .*does its Redis or database run\?/;
  const seen = await queue('list', ...away);
  expect(seen).toMatchObject({ code: 0, rows: [{ rig: 'z1' }], stderr: expect.stringMatching(words) });
  await books.pool.query('ALTER TABLE rig DROP CONSTRAINT no_z');
  const booked = await queue('retry', ...away);
  expect(booked).toMatchObject({ code: 1, stderr: expect.stringContaining('the queue cannot be asked now') });
  expect((await queue('list', ...away)).rows).toEqual([]);
  expect(await queue('drop', 'a-name', ...away)).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('the queue cannot be asked now') },
  });
});

it('verify compares the share log of the data directory with the books, while its bridge runs', async () => {
  await using folder = await temporaryFolder();
  const dataDir = folder.path;
  const connection: QueueConnection = { backend: 'postgres', connectionString: books.connectionString };
  const queue = await openShareQueue({
    ...{
      connection,
      folder: bridgeFolder(dataDir),
      ledger: books.ledger,
      place: 'test',
      log: SILENT,
      newLogId: randomUUID,
    },
  });
  onTestFinished(async () => void (await queue.close()));
  const verified = async () => {
    const argv = ['verify', '--ledger-database-url', books.connectionString, '--data-dir', dataDir];
    const { code, text } = await runHere('ledger', argv);
    const proofs = JSON.parse(text) as { name: string; broken: string; noted: string }[];
    const { broken, noted } = proofs.find(({ name }) => name === 'share log') ?? expect.fail(text);
    return { code, broken, noted };
  };
  const { shares: before } = await books.ledger.totals();
  for (let i = 1; i <= 3; i++) await append(queue, makeShare());
  // Nobody records yet.
  const waiting = { noted: `3 shares of log ${queue.logId} are not booked yet` };
  expect(await verified()).toEqual({ code: 0, broken: '', ...waiting });
  const recorder = startShareRecorder({ connection, ledger: books.ledger, log: SILENT });
  onTestFinished(() => recorder.close());
  const isBooked = (shares: number) =>
    expect.poll(async () => (await books.ledger.totals()).shares - before).toBe(shares);
  await isBooked(3);
  await append(queue, makeShare());
  await isBooked(4);
  expect(await verified()).toEqual({ code: 0, broken: '', noted: '' });

  const { pool } = books;
  await pool.query('UPDATE log SET shares = shares - 1 WHERE id = $1', [queue.logId]);
  expect(await verified()).toMatchObject({
    code: 1,
    broken: expect.stringMatching(
      /^up to entry \d+ of .* has 4 shares of work 4000, and the books 3 of 4000$/,
    ),
  });
  const forget = "UPDATE log SET shares = shares + 1, numbers = numbers - '{[1,2)}'::int8multirange";
  await pool.query(`${forget} WHERE id = $1`, [queue.logId]);
  expect(await verified()).toMatchObject({
    code: 1,
    broken: expect.stringMatching(/^entries 1 of .*, of \d+ shares, were shipped and are not booked/),
  });
  await pool.query("UPDATE log SET numbers = numbers + '{[1,2)}'::int8multirange");
});

it.skipIf(redisIsMissing)('C3: makes nothing in a Redis that has no queue', async () => {
  const redis = await startTestRedis();
  expect((await queue('list', '--queue-redis-url', redis.url)).rows).toEqual([]);
  const client = new Redis(redis.url);
  expect(await client.keys('*')).toEqual([]);
  client.disconnect();
  await redis.close();
});
