/** How long nothing else has its turn while entries of 30,000 rigs are made, and booked: processor time of the longest piece (bar 10 ms). */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SILENT } from '../../../src/core/names/log.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { SHARE_LOG_LIMITS } from '../../../src/queue/log/limits.js';
import { LogReader } from '../../../src/queue/log/reading.js';
import { DiskLog } from '../../../src/queue/log/share-log.js';
import { OpenSolutions } from '../../../src/queue/log/solutions.js';
import { Together } from '../../../src/queue/recording/together.js';
import { decodeEntry, encodeInPieces } from '../../../src/queue/shipping/entry.js';
import { KeptLog } from '../../../src/queue/shipping/kept-log.js';
import { SHIPPER_LIMITS } from '../../../src/queue/shipping/shipper.js';
import { startTestPostgres } from '../../helpers/books/postgres.js';
import { append, makeShare } from '../../helpers/rigs/shares.js';

const RIGS = 30_000;
const BAR_MS = 10;

export async function benchPieces(): Promise<{ made: number; booked: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'stratum-bridge-bench-'));
  const [logId, open] = [randomUUID(), new OpenSolutions()];
  const disk = new DiskLog({ folder, logId, log: SILENT, limits: SHARE_LOG_LIMITS, formerBytes: 0, open });
  const { segments } = disk;
  const kept = new KeptLog({
    ...{ id: logId, segments, open, reader: new LogReader(), log: SILENT },
    ...{ remove: (one) => disk.remove(one), onBooked: () => {} },
  });
  try {
    await disk.begin();
    const longest: number[] = [];
    const texts: string[] = [];
    for (let rig = 0; rig < RIGS; ) {
      const waiting: Promise<void>[] = [];
      while (rig < RIGS && disk.bytesSinceCut < SHIPPER_LIMITS.cutBytes && waiting.length < 3_000)
        waiting.push(append(disk, makeShare({ account: `k:${rig % 5000}`, rig: `rig${rig++}` })));
      await Promise.all(waiting);
      if (disk.bytesSinceCut < SHIPPER_LIMITS.cutBytes && rig < RIGS) continue;
      const cut = await disk.cut();
      kept.add(cut);
      longest.push(
        await longestPieceMs(async () => {
          texts.push(JSON.stringify(await encodeInPieces(await kept.entryOf(cut, []))));
        }),
      );
    }
    const [made, booked] = [Math.max(...longest), await longestOfBooking(texts)];
    const words = (ms: number): string =>
      `the longest piece takes ${ms.toFixed(1)} ms of the processor (bar ${BAR_MS} ms)${ms > BAR_MS ? ' **missed**' : ''}`;
    process.stdout.write(`entries of ${RIGS} rigs, ${longest.length} of them, are made: ${words(made)}\n`);
    process.stdout.write(`the same are booked: ${words(booked)}\n`);
    return { made, booked };
  } finally {
    await disk.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** As a recorder takes them out of the queue, one right after the other; the second time, when the code is warm and all rigs are known. */
async function longestOfBooking(texts: readonly string[]): Promise<number> {
  const postgres = await startTestPostgres();
  const ledger = await openLedger({ connectionString: postgres.connectionString, log: SILENT });
  try {
    const together = new Together(ledger, () => {}, new AbortController().signal);
    const book = (log: string): Promise<number> =>
      longestPieceMs(async () => {
        const booked: Promise<unknown>[] = [];
        for (const text of texts) {
          await nextTurn();
          const entry = decodeEntry(JSON.parse(text));
          booked.push(together.record({ ...entry, id: { ...entry.id, log } }));
        }
        await Promise.all(booked);
      });
    await book(randomUUID());
    return await book(randomUUID());
  } finally {
    await ledger.close();
    await postgres.close();
  }
}

/**
 * Between two turns of the event loop. Time of the processor has that of V8's other threads in it, and time by the clock that of other
 * processes: the lesser of the two is still no less than what the loop was held.
 */
async function longestPieceMs(act: () => Promise<unknown>): Promise<number> {
  let [isDone, longest] = [false, 0];
  let before = [process.cpuUsage(), performance.now()] as const;
  const acting = act().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTurn();
    const { user, system } = process.cpuUsage(before[0]);
    longest = Math.max(longest, Math.min((user + system) / 1000, performance.now() - before[1]));
    before = [process.cpuUsage(), performance.now()];
  }
  await acting;
  return longest;
}
