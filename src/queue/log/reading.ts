/** What lies between two places of a log, in its order. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SolutionWord } from '../../bridge/ports.js';
import type { Name } from '../../core/names/names.js';
import { type LoggedShare, type Position, type RecordVisitor, readRecords } from './records.js';
import { readSegment, type Segment } from './segments.js';
import { readWord } from './solutions.js';

interface LogVisitor {
  share(name: Name, share: LoggedShare): void;
  solution?(word: SolutionWord): void;
}

/** Of records that are read before anything else has its turn: some six hundred shares, a few milliseconds. */
export const PIECE_BYTES = 32 * 2 ** 10;

type Names = readonly (Name | undefined)[];

export class LogReader {
  /** Of the segment that was read last: its entries are read one after the other. */
  #last: { readonly segment: Segment; readonly names: Names } | undefined;

  /** Resolves with the bytes that were to be read and are gone or damaged; the segments they were in are marked. */
  async read(
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
      const names = start < end ? await this.#namesOf(segment) : [];
      const bytes = await readSegment(segment, start, end);
      const bad = end - start - (bytes ? await wholeBytes(bytes, names, visitor) : 0);
      if (bad > 0 && bytes) segment.isDamaged = true;
      lost += bad;
    }
    return lost;
  }

  /** A segment that is written to has them in memory, any other one in its file. */
  async #namesOf(segment: Segment): Promise<Names> {
    if (segment.names) return segment.names;
    if (this.#last?.segment === segment) return this.#last.names;
    const names: Name[] = [];
    const bytes = await readSegment(segment, 0, segment.bytes);
    if (bytes)
      await readInPieces(bytes, {
        name: (index, account, rig) => {
          names[index] = { account, rig };
        },
      });
    this.#last = { segment, names };
    return names;
  }
}

/** Bytes of whole records of a name that is known. */
async function wholeBytes(bytes: Buffer, names: Names, visitor: LogVisitor): Promise<number> {
  let damaged = 0;
  const end = await readInPieces(bytes, {
    share: (share) => {
      const name = names[share.name];
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

/** As {@link readRecords}; rigs are answered between two pieces. */
export async function readInPieces(bytes: Buffer, visitor: RecordVisitor): Promise<number> {
  let at = 0;
  for (let length = PIECE_BYTES; at < bytes.length; await nextTurn()) {
    const end = readRecords(bytes.subarray(at, at + length), visitor);
    if (end === 0 && at + length >= bytes.length) break;
    // A piece without a whole record is a part of one, or damaged up to the next.
    length = end === 0 ? 2 * length : PIECE_BYTES;
    at += end;
  }
  return at;
}
