/** A data directory whose shares were written down for another ledger. */
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { markedLedger, requireLedger } from '../../src/queue/log/ledger-mark.js';
import { openShareQueue } from '../../src/queue/share-queue.js';
import { useBooks } from '../helpers/books/books.js';
import { temporaryFolder } from '../helpers/folder.js';
import { runHere } from '../helpers/processes/command.js';
import { append, makeShare } from '../helpers/rigs/shares.js';

const books = useBooks();

it('moves logs of a former ledger aside when somebody orders it, says how many shares they hold, and tells it', async () => {
  await using folder = await temporaryFolder();
  const dataDir = folder.path;
  const own = join(dataDir, '0');
  const [shares, former] = [join(own, 'shares'), randomUUID()];
  const away = () => Promise.reject(new Error('away'));
  const queue = await openShareQueue({
    ...{
      connection: { backend: 'redis', url: 'redis://none.invalid' },
      folder: own,
      log: SILENT,
      place: 'test',
    },
    ledger: {
      id: async () => former,
      ...{ renewLogs: away, missingEntries: away, conflictingEntries: away, giveUpEntries: away },
    },
    newLogId: randomUUID,
    queue: { add: away, counts: away, close: async () => {} },
  });
  for (let i = 0; i < 7; i++) await append(queue, makeShare());
  await expect.poll(() => markedLedger(shares)).toBe(former);
  await queue.close(100);
  const id = await books.ledger.id();
  await expect(requireLedger(shares, id)).rejects.toThrow(
    new RegExp(`${former}.*${id}.*ledger adopt --note TEXT`),
  );
  const adopt = (...words: string[]) =>
    runHere('ledger', [
      'adopt',
      ...words,
      '--ledger-database-url',
      books.connectionString,
      '--data-dir',
      dataDir,
    ]);
  expect(await adopt()).toMatchObject({ code: 2, stderr: expect.stringContaining('--note says why') });
  const { code, text } = await adopt('--note', 'it is lost');
  const aside = `${shares}-of-${former}`;
  expect([code, JSON.parse(text)]).toEqual([0, [{ folder: aside, shares: 7 }]]);
  expect(await readdir(aside)).toHaveLength(2);
  await requireLedger(dataDir, id);
  const { rows } = await books.pool.query("SELECT says FROM event WHERE kind = 'ordered'");
  expect(rows).toEqual([{ says: expect.stringMatching(/with 7 shares .*: it is lost$/) }]);
  expect(await adopt('--note', 'again')).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('nothing is moved') },
  });
});
