/** What lies in a share log, for who only looks: the bridge may run and write to it meanwhile. */
import { readFile } from 'node:fs/promises';
import { type Cut, readRecords } from './records.js';
import { ifThere, listSegments } from './segments.js';

/** What one start of the bridge has in its log. */
export interface LoggedStart {
  readonly id: string;
  /** By number. Those that are booked may be gone. */
  readonly cuts: ReadonlyMap<number, Cut>;
  /** Shares that no cut has yet. */
  readonly uncut: number;
}

export async function startsIn(folder: string): Promise<string[]> {
  return [...(await listSegments(folder)).keys()];
}

export async function lookAtLog(folder: string): Promise<LoggedStart[]> {
  const starts: LoggedStart[] = [];
  for (const [id, segments] of await listSegments(folder)) {
    const cuts = new Map<number, Cut>();
    let uncut = 0;
    for (const { path } of segments) {
      const bytes = await readFile(path).catch(ifThere);
      if (!bytes) continue;
      readRecords(bytes, {
        share: () => {
          uncut++;
        },
        cut: (cut) => {
          // Each is there twice, and the last one again in the next segment.
          if (!cuts.has(cut.number)) uncut = 0;
          cuts.set(cut.number, cut);
        },
      });
    }
    starts.push({ id, cuts, uncut });
  }
  return starts;
}
