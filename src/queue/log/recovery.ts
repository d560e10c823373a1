/** What earlier starts left in the folder of the log: read as it was written, whatever a crash or a broken disk did to it. */
import { readFile, rm } from 'node:fs/promises';
import type { SolutionWord } from '../../bridge/ports.js';
import type { Log } from '../../core/names/log.js';
import { LogReader } from './reading.js';
import {
  CUT_PAIR_BYTES,
  type Cut,
  FORMAT_VERSION,
  type Position,
  readRecords,
  type SegmentHead,
} from './records.js';
import { isReadError, listSegments, putAside, type Segment } from './segments.js';
import { readWord } from './solutions.js';

/** The log of one log that has ended: nothing is added to it, and every entry of it is known. */
export interface FormerLog {
  readonly id: string;
  readonly segments: Segment[];
  /** Lowest first. The last one ends the log. */
  readonly cuts: readonly Cut[];
  readonly solutions: readonly LoggedWord[];
}

interface LoggedWord {
  readonly word: SolutionWord;
  readonly segment: number;
}

export async function readFormerLogs(folder: string, log: Log): Promise<FormerLog[]> {
  const logs: FormerLog[] = [];
  for (const [id, files] of await listSegments(folder)) {
    const segments = await scanAll(files, log);
    if (!segments) continue;
    const newer = segments.find(({ heads }) => heads.some(({ version }) => version > FORMAT_VERSION));
    if (newer) {
      const fields = { path: newer.segment.path };
      log.error(
        fields,
        'a segment of the share log is of a later version: start that one to ship its shares',
      );
      continue;
    }
    const whole: Found[] = [];
    for (const found of segments) if (await isOfUse(found, log)) whole.push(found);
    if (whole.length > 0) logs.push(await logOf(id, whole));
  }
  return logs;
}

interface Found {
  readonly segment: Segment;
  readonly hasNames: boolean;
  readonly heads: readonly SegmentHead[];
  readonly cuts: readonly Cut[];
  /** Where both copies of a cut may have been. */
  readonly gaps: readonly Position[];
  readonly solutions: readonly LoggedWord[];
}

/** `undefined` where one cannot be read now: another start may, and ships them then. */
async function scanAll(
  files: readonly { readonly number: number; readonly path: string }[],
  log: Log,
): Promise<Found[] | undefined> {
  const found: Found[] = [];
  for (const { number, path } of files) {
    try {
      found.push(await scan(path, number, log));
    } catch (error) {
      if (!isReadError(error)) throw error;
      const says = 'a segment of the share log cannot be read: its log stays where it is, for the next start';
      log.error({ path, error: error.message }, says);
      return undefined;
    }
  }
  return found;
}

async function scan(path: string, number: number, log: Log): Promise<Found> {
  const bytes = await readFile(path);
  const segment: Segment = { number, path, bytes: 0, isDamaged: false };
  let hasNames = false;
  const heads: SegmentHead[] = [];
  const cuts: Cut[] = [];
  const gaps: Position[] = [];
  const solutions: LoggedWord[] = [];
  const gap = (length: number, offset: number): void => {
    if (length >= CUT_PAIR_BYTES) gaps.push({ segment: number, offset });
  };
  let damaged = 0;
  segment.bytes = readRecords(bytes, {
    segment: (head) => heads.push(head),
    name: () => {
      hasNames = true;
    },
    cut: (cut) => cuts.push(cut),
    solution: (text) => {
      const word = readWord(text);
      if (word) solutions.push({ word, segment: number });
    },
    damaged: (length, from) => {
      damaged += length;
      gap(length, from);
    },
  });
  segment.isDamaged = damaged > 0;
  const words = 'a segment of the share log is damaged: it is kept as .broken, and all other records count';
  if (segment.isDamaged) log.error({ path, bytes: damaged }, words);
  const torn = lengthOf(bytes) - segment.bytes;
  gap(torn, segment.bytes);
  if (torn > 0)
    log.warn({ path, bytes: torn }, 'a write to the share log was cut short: nobody was told `true` of it');
  return { segment, hasNames, heads, cuts, gaps, solutions };
}

/** Without the zeros at its end, which wait for what is written next. */
function lengthOf(bytes: Buffer): number {
  return 1 + bytes.findLastIndex((byte) => byte !== 0);
}

/** What holds nothing is removed, or put aside where it held something. */
async function isOfUse({ segment, hasNames, heads, cuts }: Found, log: Log): Promise<boolean> {
  if (heads.length > 0 || cuts.length > 0 || hasNames) return true;
  const isEmpty = (await readFile(segment.path)).every((byte) => byte === 0);
  if (isEmpty) await rm(segment.path, { force: true });
  else {
    log.error({ path: segment.path }, 'a segment of the share log holds no record: it is kept as .broken');
    await putAside(segment.path);
  }
  return false;
}

async function logOf(id: string, found: readonly Found[]): Promise<FormerLog> {
  const segments = found.map(({ segment }) => segment);
  const known = new Map(found.flatMap(({ cuts }) => cuts.map((cut) => [cut.number, cut])));
  const cuts = [...known.values()].sort((a, b) => a.number - b.number);
  const whole: Cut[] = [];
  for (const cut of cuts) {
    const last = whole.at(-1);
    if (last && cut.number > last.number + 1) whole.push(await between(segments, last, cut));
    whole.push(cut);
  }
  const gaps = found.flatMap((one) => one.gaps);
  if (!whole.at(-1)?.ends) whole.push(...(await theLast(segments, whole.at(-1), gaps)));
  return { id, segments, cuts: whole, solutions: found.flatMap(({ solutions }) => solutions) };
}

/**
 * What lies between two cuts: those whose copies are damaged, or whose segments went once they were booked. The next one knows where it
 * ended, and what the log had accepted up to there.
 */
async function between(segments: readonly Segment[], last: Cut, next: Cut): Promise<Cut> {
  const left = await upTo(segments, last, next.from, next.number - 1, false);
  return { ...left, ...totalsOf(last, next.shares - next.ownShares, next.work - next.ownWork) };
}

/**
 * What came after the last cut: an entry like the others, and the same at each start. Where both copies of a cut may have been there
 * is one for itself: its number may be booked, and what came after would be taken for a part of it.
 */
async function theLast(
  segments: readonly Segment[],
  last: Cut | undefined,
  gaps: readonly Position[],
): Promise<Cut[]> {
  const { number: segment = 1, bytes: offset = 0 } = segments.at(-1) ?? {};
  const first = last ?? { ...NO_CUT, to: { segment: segments[0]?.number ?? 1, offset: 0 } };
  const end = { segment, offset };
  const cuts: Cut[] = [];
  for (const to of [...gaps.filter((gap) => isBefore(first.to, gap) && !isBefore(end, gap)), end]) {
    const before = cuts.at(-1) ?? first;
    cuts.push(await upTo(segments, before, to, before.number + 1, to === end));
  }
  return cuts;
}

function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset);
}

const NO_CUT = { number: 0, watermarkMs: 0, shares: 0, work: 0n };

async function upTo(
  segments: readonly Segment[],
  last: Pick<Cut, 'watermarkMs' | 'shares' | 'work' | 'to'>,
  to: Position,
  number: number,
  ends: boolean,
): Promise<Cut> {
  let { shares, work, watermarkMs } = last;
  await new LogReader().read(segments, last.to, to, {
    share: (_name, { difficulty, acceptedAtMs }) => {
      shares++;
      work += difficulty;
      if (ends) watermarkMs = Math.max(watermarkMs, acceptedAtMs);
    },
  });
  return { number, watermarkMs, ...totalsOf(last, shares, work), ends, from: last.to, to };
}

function totalsOf(last: Pick<Cut, 'shares' | 'work'>, shares: number, work: bigint) {
  return { shares, work, ownShares: shares - last.shares, ownWork: work - last.work };
}
