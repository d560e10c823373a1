/** How long nothing else has its turn while an entry of 30,000 rigs is made: processor time of the longest piece (bar 10 ms). */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SILENT } from '../../../src/core/names/log.js';
import { SHARE_LOG_LIMITS } from '../../../src/queue/log/limits.js';
import { LogReader } from '../../../src/queue/log/reading.js';
import { DiskLog } from '../../../src/queue/log/share-log.js';
import { OpenSolutions } from '../../../src/queue/log/solutions.js';
import { encodeInPieces } from '../../../src/queue/shipping/entry.js';
import { KeptLog } from '../../../src/queue/shipping/kept-log.js';
import { SHIPPER_LIMITS } from '../../../src/queue/shipping/shipper.js';
import { append, makeShare } from '../../helpers/rigs/shares.js';

const RIGS = 30_000;

export async function benchPieces(): Promise<number> {
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
    for (let rig = 0; rig < RIGS; ) {
      const waiting: Promise<void>[] = [];
      while (rig < RIGS && disk.bytesSinceCut < SHIPPER_LIMITS.cutBytes && waiting.length < 3_000)
        waiting.push(append(disk, makeShare({ account: `k:${rig % 5000}`, rig: `rig${rig++}` })));
      await Promise.all(waiting);
      if (disk.bytesSinceCut < SHIPPER_LIMITS.cutBytes && rig < RIGS) continue;
      const cut = await disk.cut();
      kept.add(cut);
      longest.push(
        await longestPieceMs(async () => JSON.stringify(await encodeInPieces(await kept.entryOf(cut, [])))),
      );
    }
    const most = Math.max(...longest);
    process.stdout.write(
      `an entry of ${RIGS} rigs, in ${longest.length} entries: the longest piece takes ${most.toFixed(1)} ms of the processor (bar 10 ms)\n`,
    );
    return most;
  } finally {
    await disk.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Between two turns of the event loop. */
async function longestPieceMs(act: () => Promise<unknown>): Promise<number> {
  let [isDone, longest] = [false, 0];
  let before = process.cpuUsage();
  const acting = act().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTurn();
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.cpuUsage();
  }
  await acting;
  return longest;
}
