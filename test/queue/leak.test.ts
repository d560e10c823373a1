/** What a share queue keeps of entries that are gone: nothing. */
import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { SILENT } from '../../src/core/log.js';
import { SHARE_QUEUE_LIMITS, ShareQueue } from '../../src/queue/share-queue.js';
import { Spool } from '../../src/queue/spool.js';
import { withTemporaryFolder } from '../helpers/postgres.js';
import { makeShare } from '../helpers/shares.js';

const ENTRIES = 100_000;
const WARM = 20_000;
/** A pointer or two an entry would be a leak. */
const BYTES_PER_ENTRY = 12;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function usedBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

it('B2: holds nothing of 100,000 entries that it has handed on', () =>
  withTemporaryFolder(async (dataDir) => {
    let added = 0;
    const adder = {
      add: async () => void added++,
      addAll: async () => {},
      counts: async () => ({ waiting: 0, failed: 0 }),
      absent: async () => [],
      close: async () => {},
    };
    const connection = { backend: 'redis', url: 'redis://none.invalid' } as const;
    const options = { connection, dataDir, log: SILENT, newProducerId: randomUUID };
    const limits = { ...SHARE_QUEUE_LIMITS, sharesPerEntry: 1 };
    const queue = new ShareQueue(options, limits, await Spool.open(dataDir, SILENT), adder);
    await queue.start();
    const share = makeShare();
    const append = async (entries: number): Promise<void> => {
      for (let i = 0; i < entries; i += 50)
        await Promise.all(Array.from({ length: 50 }, () => queue.append(share)));
    };
    await append(WARM);
    const before = usedBytes();
    await append(ENTRIES - WARM);
    const grown = usedBytes() - before;
    expect(added).toBe(ENTRIES);
    expect(grown / (ENTRIES - WARM)).toBeLessThan(BYTES_PER_ENTRY);
    await queue.close();
  }));
