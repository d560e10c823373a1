/** Share logs of tests, on real disks, and what a later start finds in them. */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { type Log, SILENT } from '../../../src/core/names/log.js';
import { SHARE_LOG_LIMITS, type ShareLogLimits } from '../../../src/queue/log/limits.js';
import { LogReader } from '../../../src/queue/log/reading.js';
import type { Cut } from '../../../src/queue/log/records.js';
import { readFormerLogs } from '../../../src/queue/log/recovery.js';
import { DiskLog } from '../../../src/queue/log/share-log.js';
import { OpenSolutions } from '../../../src/queue/log/solutions.js';
import { append, makeShare } from '../../helpers/rigs/shares.js';

interface Options {
  readonly log?: Log;
  readonly limits?: Partial<ShareLogLimits>;
  readonly nowMs?: () => number;
}

export async function openLog(
  folder: string,
  { log = SILENT, limits, nowMs }: Options = {},
): Promise<DiskLog> {
  await mkdir(folder, { recursive: true });
  const disk = new DiskLog({
    ...{ folder, logId: randomUUID(), log, formerBytes: 0, open: new OpenSolutions() },
    ...(nowMs && { nowMs }),
    limits: { ...SHARE_LOG_LIMITS, ...limits },
  });
  await disk.begin();
  return disk;
}

export function sayingLog(): { log: Log; said: string[] } {
  const said: string[] = [];
  const say = (_fields: object, words: string): void => void said.push(words);
  return { said, log: { ...SILENT, warn: say, error: say } };
}

/** Rigs in the order of their shares, an entry each. */
export async function entriesIn(
  folder: string,
  log: Log = SILENT,
): Promise<{ cuts: Cut[]; rigs: string[][] }> {
  const cuts: Cut[] = [];
  const rigs: string[][] = [];
  for (const former of await readFormerLogs(folder, log)) {
    for (const cut of former.cuts) {
      const inEntry: string[] = [];
      await new LogReader().read(former.segments, cut.from, cut.to, {
        share: ({ rig }) => void inEntry.push(rig),
      });
      cuts.push(cut);
      rigs.push(inEntry);
    }
  }
  return { cuts, rigs };
}

export const appendOf = (disk: DiskLog, rig: string): Promise<void> => append(disk, makeShare({ rig }));
