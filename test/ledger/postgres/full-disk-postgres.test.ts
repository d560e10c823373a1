/** The embedded PostgreSQL on a disk that fills up. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { startEmbeddedPostgres } from '../../../src/ledger/embedded/embedded.js';
import { ask } from '../../helpers/books/ask-postgres.js';
import { fillDisk, withSmallDisk } from '../../helpers/processes/small-disk.js';
import { until } from '../../helpers/until.js';

describe('the embedded PostgreSQL on a full disk', () => {
  it('dies, keeps what was committed, and is up again by itself as soon as there is room', async () => {
    const said: string[] = [];
    const say = (_: object, words: string): void => void said.push(words);
    const reason = await withSmallDisk(async (disk) => {
      const folder = join(disk, 'data');
      await mkdir(folder);
      const postgres = await startEmbeddedPostgres({ dataDir: folder, log: { ...SILENT, error: say } });
      try {
        // Nothing but the log of writes grows: the page of the table has room.
        const write = "pg_logical_emit_message(true, '', repeat('x', 1000000))";
        const commit = (): Promise<string> =>
          ask(postgres, `WITH put AS (INSERT INTO kept VALUES (1)) SELECT length(${write}::text)`);
        await ask(postgres, 'CREATE TABLE kept (x int)');
        await commit();
        const makeRoom = await fillDisk(disk);
        let [committed, failed] = [1, 0];
        await until('it has died', async () => {
          await commit().then(
            () => committed++,
            () => failed++,
          );
          return said.some((words) => /died; starting it again/.test(words));
        });
        await makeRoom();
        const count = await until('it answers', () =>
          ask(postgres, 'SELECT count(*) FROM kept').catch(() => undefined),
        );
        // What had no answer may be there.
        expect(Number(count)).toBeGreaterThanOrEqual(committed);
        expect(Number(count)).toBeLessThanOrEqual(committed + failed);
        await commit();
      } finally {
        await postgres.close();
      }
    }, 160 * 1024);
    if (reason !== undefined)
      process.stderr.write(`LEFT OUT: a full disk of PostgreSQL, because ${reason}\n`);
  });
});
