/** What a share queue keeps of shares and entries that are booked: nothing. */
import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { openShareQueue, SHARE_QUEUE_LIMITS } from '../../src/queue/share-queue.js';
import { withTemporaryFolder } from '../helpers/books/postgres.js';
import { append, makeShare } from '../helpers/rigs/shares.js';

const ENTRIES = 2500;
const WARM = 500;
const SHARES_PER_ENTRY = 40;
/** A pointer or two a share would be a leak. */
const BYTES_PER_SHARE = 12;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function usedBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

it('B2: holds nothing of 100,000 shares that are booked', () =>
  withTemporaryFolder(async (dataDir) => {
    let [shipped, added] = [0, 0];
    const queue = await openShareQueue({
      connection: { backend: 'redis', url: 'redis://none.invalid' },
      ...{ folder: dataDir, log: SILENT, newLogId: randomUUID, durability: 'queue' },
      ledger: {
        ...{ id: async () => 'of this test', renewLogs: async () => true, giveUpEntries: async () => {} },
        missingEntries: async (_log, last) => (added < last ? [{ first: added + 1, last }] : []),
        conflictingEntries: async () => [],
      },
      place: 'test',
      queue: {
        add: async ({ id, sums }) => {
          for (const [, , , submits] of sums) shipped += submits;
          added = id[1];
        },
        counts: async () => ({ waiting: 0, failed: 0 }),
        close: async () => {},
      },
      limits: { ...SHARE_QUEUE_LIMITS, segmentBytes: 100_000, renewMs: 20, keepMs: 0, shipMs: 1 },
    });
    const share = makeShare();
    const appendMany = async (entries: number): Promise<void> => {
      for (let i = 0; i < entries; i++)
        await Promise.all(Array.from({ length: SHARES_PER_ENTRY }, () => append(queue, share)));
    };
    const settled = async (): Promise<void> => {
      await expect.poll(async () => (await queue.stats()).logBytes).toBeLessThan(250_000);
    };
    await appendMany(WARM);
    await settled();
    const before = usedBytes();
    await appendMany(ENTRIES - WARM);
    await settled();
    const grown = usedBytes() - before;
    expect(shipped).toBe(ENTRIES * SHARES_PER_ENTRY);
    expect(grown / ((ENTRIES - WARM) * SHARES_PER_ENTRY)).toBeLessThan(BYTES_PER_SHARE);
    await queue.close();
  }));
