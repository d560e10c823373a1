/** What lies between two places of a log, in its order. */

import type { SolutionWord } from '../../bridge/ports.js';
import type { Name } from '../../core/names/names.js';
import { type LoggedShare, type Position, readRecords } from './records.js';
import { readSegment, type Segment } from './segments.js';
import { readWord } from './solutions.js';

interface LogVisitor {
  share(name: Name, share: LoggedShare): void;
  solution?(word: SolutionWord): void;
}

/** Resolves with the bytes that were to be read and are gone or damaged; the segments they were in are marked. */
export async function readLog(
  segments: readonly Segment[],
  from: Position,
  to: Position,
  visitor: LogVisitor,
): Promise<number> {
  let lost = 0;
  // Some may be dropped meanwhile, which would move the others.
  for (const segment of [...segments]) {
    if (segment.number < from.segment || segment.number > to.segment) continue;
    const start = segment.number === from.segment ? from.offset : 0;
    const last = segment.number === to.segment ? Math.min(to.offset, segment.bytes) : segment.bytes;
    const end = Math.max(start, last);
    const bytes = await readSegment(segment, start, end);
    const bad = end - start - (bytes ? wholeBytes(bytes, segment, visitor) : 0);
    if (bad > 0 && bytes) segment.isDamaged = true;
    lost += bad;
  }
  return lost;
}

/** Bytes of whole records of a name that is known. */
function wholeBytes(bytes: Buffer, segment: Segment, visitor: LogVisitor): number {
  let damaged = 0;
  const end = readRecords(bytes, {
    share: (share) => {
      const name = segment.names[share.name];
      if (name) visitor.share(name, share);
      else damaged++;
    },
    solution: (text) => {
      const word = readWord(text);
      if (word) visitor.solution?.(word);
      else damaged++;
    },
    damaged: (length) => {
      damaged += length;
    },
  });
  return end - damaged;
}
