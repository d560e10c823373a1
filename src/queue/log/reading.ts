/** What lies between two places of a log, share by share. */
import type { Name } from '../../core/names/names.js';
import { type LoggedShare, type Position, readRecords } from './records.js';
import { readSegment, type Segment } from './segments.js';

type ShareVisitor = (name: Name, share: LoggedShare) => void;

/** Resolves with the bytes that were to be read and are gone or damaged; the segments they were in are marked. */
export async function readShares(
  segments: readonly Segment[],
  from: Position,
  to: Position,
  visit: ShareVisitor,
): Promise<number> {
  let lost = 0;
  // Some may be dropped meanwhile, which would move the others.
  for (const segment of [...segments]) {
    if (segment.number < from.segment || segment.number > to.segment) continue;
    const start = segment.number === from.segment ? from.offset : 0;
    const last = segment.number === to.segment ? Math.min(to.offset, segment.bytes) : segment.bytes;
    const end = Math.max(start, last);
    const bytes = await readSegment(segment, start, end);
    const bad = end - start - (bytes ? wholeBytes(bytes, segment, visit) : 0);
    if (bad > 0 && bytes) segment.isDamaged = true;
    lost += bad;
  }
  return lost;
}

/** Bytes of whole records of a name that is known. */
function wholeBytes(bytes: Buffer, segment: Segment, visit: ShareVisitor): number {
  let damaged = 0;
  const end = readRecords(bytes, {
    share: (share) => {
      const name = segment.names[share.name];
      if (name) visit(name, share);
      else damaged++;
    },
    damaged: (length) => {
      damaged += length;
    },
  });
  return end - damaged;
}
