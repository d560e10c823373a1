/** Entries as the function record_entries wants them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import type { EntryOutcome, ShareEntry, SolutionWord, WorkSum } from '../../bridge/ports.js';
import { blockHashOf } from '../../core/bytes/block-hash.js';
import { toHex } from '../../core/bytes/bytes.js';
import { storable } from '../../core/names/names.js';
import { decodeHeader } from '../../core/work/header.js';
import { rowOf, statementsOf } from '../database/statements.js';
import { kindNumber } from './kinds.js';

export const SQL = statementsOf('recording/recording.sql');

/** Of a solution's names and words: a block must not be missing in the books for what is in a text. */
const MAX_TEXT = 1_000;
/** Sums that are written down before anything else has its turn: a millisecond or two. */
const PIECE_SUMS = 500;

/** One statement, and so one transaction unless the caller has begun one. */
export async function bookEntries(
  client: pg.Pool | pg.ClientBase,
  entries: readonly ShareEntry[],
): Promise<EntryOutcome[]> {
  const heads = entries.map(({ id, watermarkMs, ends, total }, place) => ({
    ...{ place, log: id.log, number: id.number },
    ...{ watermark: watermarkMs, ends, shares: total.shares, work: total.work.toString() },
  }));
  const solutions = entries.flatMap((entry, place) =>
    foundFirst(entry.solutions).map((word) => ({ place, ...encodeWord(word) })),
  );
  const sums = await sumsInPieces(entries);
  const booked = await rowOf(client, SQL.record, [JSON.stringify(heads), sums, JSON.stringify(solutions)]);
  const [recorded, conflicting] = [new Set(booked?.recorded), new Set(booked?.conflicting)];
  return entries.map((_, place) => {
    if (recorded.has(place)) return 'recorded';
    return conflicting.has(place) ? 'conflict' : 'repeated';
  });
}

/** As JSON. Rigs are answered between two pieces. */
async function sumsInPieces(entries: readonly ShareEntry[]): Promise<string> {
  const pieces: string[] = [];
  for (const [place, { sums }] of entries.entries())
    for (let from = 0; from < sums.length; from += PIECE_SUMS) {
      await nextTurn();
      const piece = sums.slice(from, from + PIECE_SUMS).map((sum) => ({ place, ...encodeSum(sum) }));
      pieces.push(JSON.stringify(piece).slice(1, -1));
    }
  return `[${pieces.join(',')}]`;
}

function foundFirst(words: readonly SolutionWord[]): SolutionWord[] {
  return words.toSorted((a, b) => Number(b.state === 'found') - Number(a.state === 'found'));
}

/** As the type solution_word of the books has it. */
function encodeWord({ solution, log, state, detail }: SolutionWord) {
  const { header, powHash, blockDifficulty, foundAtMs, ...names } = solution;
  const { chainId, parent, height, creationTime, nonce } = decodeHeader(header);
  return {
    ...{
      pow_hash: toHex(powHash),
      hash: toHex(blockHashOf(header)),
      header: toHex(header),
      chain_id: chainId,
      height,
    },
    ...{ parent: toHex(parent), nonce: nonce.toString(), creation_time: creationTime.toString() },
    ...{ block_difficulty: blockDifficulty.toString(), found_at: foundAtMs, log, said: state },
    ...{ node: storable(names.node, MAX_TEXT), account: storable(names.account, MAX_TEXT) },
    ...{ rig: storable(names.rig, MAX_TEXT), detail: storable(detail, MAX_TEXT) },
  };
}

/** As functions of the books want one. */
export function encodeSum({ account, rig, slot, kind, submits, work, expected, best }: WorkSum) {
  return {
    ...{ account, rig, slot, kind: kindNumber(kind), submits, best },
    ...{ work: work.toString(), expected: expected.toString() },
  };
}
