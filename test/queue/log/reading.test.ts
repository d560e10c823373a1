/** A log that is read in pieces says the same, and each piece is short. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { PIECE_BYTES, readInPieces } from '../../../src/queue/log/reading.js';
import { type RecordVisitor, RecordWriter, readRecords } from '../../../src/queue/log/records.js';
import { encodeEntry, encodeInPieces, PIECE_SUMS } from '../../../src/queue/shipping/entry.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';

function seenBy(read: (visitor: RecordVisitor) => number | Promise<number>) {
  const seen: unknown[] = [];
  const visitor: RecordVisitor = {
    share: (share) => void seen.push(share),
    name: (...name) => void seen.push(name),
    solution: (text) => void seen.push(text),
    damaged: (bytes) => void seen.push({ bytes }),
  };
  return Promise.resolve(read(visitor)).then((end) => ({ end, seen }));
}

/** Shares, names, and solutions of up to the longest that a record takes. */
function written(): Buffer {
  const writer = new RecordWriter(1024);
  for (let i = 0; i < 20_000; i++) {
    if (i % 7 === 0) writer.name(i, `k:${i}`, 'r'.repeat(i % 200));
    if (i % 1_500 === 0) writer.solution('s'.repeat(Math.min(65_000, 10 * i)));
    writer.share(i, 1_700_000_000_000 + i, BigInt(i), 5n, i);
  }
  return Buffer.from(writer.written);
}

/** How often something else has its turn until it is done. */
async function turnsDuring(act: () => Promise<unknown>): Promise<number> {
  let [isDone, turns] = [false, 0];
  const acting = act().finally(() => {
    isDone = true;
  });
  for (; !isDone; turns++) await nextTurn();
  await acting;
  return turns;
}

it('reads in pieces what is whole and what is damaged, wherever that is', async () => {
  const whole = written();
  expect(whole.length).toBeGreaterThan(10 * PIECE_BYTES);
  const [torn, broken] = [whole.subarray(0, whole.length - 20), Buffer.from(whole)];
  for (let at = 5_000; at < broken.length; at += 61_003) broken.fill(0, at, at + (at % 300));
  broken.fill(7, 2 * PIECE_BYTES, 5 * PIECE_BYTES);
  for (const bytes of [whole, torn, broken, Buffer.alloc(3 * PIECE_BYTES), Buffer.alloc(0)])
    expect(await seenBy((visitor) => readInPieces(bytes, visitor))).toEqual(
      await seenBy((visitor) => readRecords(bytes, visitor)),
    );
});

it('takes a turn of its own for each piece of what is read and encoded', async () => {
  const bytes = written();
  expect(await turnsDuring(() => readInPieces(bytes, {}))).toBeGreaterThanOrEqual(
    Math.floor(bytes.length / PIECE_BYTES),
  );
  const shares = Array.from({ length: 30_000 }, (_, i) => makeShare({ rig: `r${i}` }));
  const entry = entryOf({ id: { log: '00000000-0000-4000-8000-000000000000', number: 1 }, shares });
  expect(await encodeInPieces(entry)).toEqual(encodeEntry(entry));
  expect(await turnsDuring(() => encodeInPieces(entry))).toBeGreaterThanOrEqual(30_000 / PIECE_SUMS);
});
