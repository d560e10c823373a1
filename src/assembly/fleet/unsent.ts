/**
 * Solutions of a front that its hub has not taken yet, for the next start after a crash: they are posted then, and their node says whether
 * they are worth anything yet.
 *
 *     <dataDir>/fronts/2/solutions.json    [{"work":{"bytes":"…","node":"…"},"job":{…},"nonce":"…",…}]
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { PlainSolution } from '../../bridge/fleet/ports.js';
import { readWhole, writeWhole } from '../books/whole-file.js';

const MAX_BYTES = 16 * 1024 * 1024;

const BYTES = z.codec(z.base64(), z.instanceof(Uint8Array), {
  decode: (text) => Uint8Array.from(Buffer.from(text, 'base64')),
  encode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
});
const NUMBER = z.codec(z.string().regex(/^\d{1,20}$/), z.bigint(), {
  decode: (digits) => BigInt(digits),
  encode: (number) => String(number),
});
const NAME = z.string().max(256);
const COUNT = z.int().min(0);

const FILE = z.array(
  z.strictObject({
    work: z.strictObject({ bytes: BYTES, node: z.string() }),
    job: z.strictObject({ number: COUNT, group: COUNT, clean: z.boolean(), time: NUMBER }),
    posted: z.enum(['no', 'now', 'before']),
    nonce: NUMBER,
    powHash: BYTES,
    ...{ account: NAME, rig: NAME, foundAtMs: z.number() },
  }),
);

/** Rejects for a file that cannot be read: what it holds may be worth a block. */
export async function keptSolutions(dataDir: string): Promise<readonly PlainSolution[]> {
  const text = await readWhole(fileIn(dataDir), MAX_BYTES);
  const kept = text === undefined ? [] : FILE.decode(JSON.parse(text));
  // Whoever posted it is gone, with the answer.
  return kept.map((solution) => ({
    ...solution,
    posted: solution.posted === 'now' ? 'before' : solution.posted,
  }));
}

/** All that wait now; none takes the file away. */
export async function keepSolutions(dataDir: string, solutions: readonly PlainSolution[]): Promise<void> {
  if (solutions.length === 0) await rm(fileIn(dataDir), { force: true });
  else
    await writeWhole(fileIn(dataDir), [JSON.stringify(FILE.encode([...solutions] as z.output<typeof FILE>))]);
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'solutions.json');
}
