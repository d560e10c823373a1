/** The way of entries out of the spool: what is none of them, and a queue that takes nothing. */
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type Log, SILENT } from '../../src/core/log.js';
import { type EncodedEntry, encodeEntry } from '../../src/queue/entry.js';
import { Spool } from '../../src/queue/spool.js';
import { Spooler } from '../../src/queue/spooler.js';
import { withTemporaryFolder } from '../helpers/postgres.js';
import { makeShare } from '../helpers/shares.js';

function newEntry(): EncodedEntry {
  return encodeEntry({ id: { producer: randomUUID(), number: 1 }, shares: [makeShare()], rejections: [] });
}

function sayingLog(level: 'error' | 'warn'): { log: Log; said: object[] } {
  const said: object[] = [];
  const say = (fields: object, words: string): void => void said.push({ ...fields, words });
  return { said, log: { ...SILENT, [level]: say } };
}

/** A queue in memory, and how often it was asked in vain. */
function makeQueue() {
  const queue = {
    added: [] as EncodedEntry[],
    refuses: false,
    refusals: 0,
    add: async (entry: EncodedEntry) => queue.addAll([entry]),
    addAll: async (entries: readonly EncodedEntry[]) => {
      if (queue.refuses) throw new Error(`refused ${++queue.refusals}`);
      queue.added.push(...entries);
    },
    counts: async () => ({ waiting: 0, failed: 0 }),
    absent: async () => [],
    close: async () => {},
  };
  return queue;
}

describe('what is replayed from the spool', () => {
  it('B12: are entries; a record that checks and is none is put aside, aloud, and all others go on', () =>
    withTemporaryFolder(async (folder) => {
      const [first, last] = [newEntry(), newEntry()];
      const { log, said } = sayingLog('error');
      const spool = await Spool.open(folder, log);
      // Of a later version, which its recorders read.
      const later = { v: 7, id: [randomUUID(), 3], packed: 'x' };
      for (const text of [first, 'no JSON', null, { v: 1 }, later, last])
        await spool.append(text === 'no JSON' ? '{"v":1,' : JSON.stringify(text));
      const queue = makeQueue();
      const spooler = new Spooler(spool, queue, log);
      spooler.resume();
      await expect.poll(() => spooler.isSpooling).toBe(false);
      expect(queue.added).toEqual([first, later, last]);
      expect(said).toMatchObject([{ entries: 3, words: expect.stringContaining('kept as .broken') }]);
      expect((await readdir(folder)).map((name) => name.replace(/^\d+/, ''))).toEqual(['.spool.broken']);
      await spooler.close();
    }));

  it('B12: is said to wait when a queue that answers takes nothing', () =>
    withTemporaryFolder(async (folder) => {
      const { log, said } = sayingLog('warn');
      const spool = await Spool.open(folder, log);
      await spool.append(JSON.stringify(newEntry()));
      const queue = makeQueue();
      queue.refuses = true;
      const spooler = new Spooler(spool, queue, log);
      spooler.resume();
      await expect.poll(() => queue.refusals).toBeGreaterThan(1);
      queue.refuses = false;
      await expect.poll(() => spooler.isSpooling).toBe(false);
      expect(said.slice(1)).toMatchObject([
        { entries: 1, error: 'refused 1', words: expect.stringContaining('takes nothing yet') },
      ]);
      await spooler.close();
    }));
});
