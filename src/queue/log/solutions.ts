/**
 * Solutions in the log: found, and what became of them. Each word has all of the solution, so that any one of them is enough to book it, whichever
 * log it stands in and in whatever order entries arrive.
 */
import { z } from 'zod';
import type { SolutionRecord, SolutionWord } from '../../bridge/ports.js';
import { fromHex, toHex } from '../../core/bytes/bytes.js';
import { storable } from '../../core/names/names.js';
import { HEADER_BYTES } from '../../core/work/header.js';

/** A node's words are as long as it likes. */
const MOST_DETAIL = 1_000;

const hex = (bytes: number) =>
  z.string().transform((digits, context): Uint8Array => {
    const decoded = fromHex(digits);
    if (decoded?.length === bytes) return decoded;
    context.addIssue(`${bytes} bytes in hex digits are expected`);
    return z.NEVER;
  });

export const SOLUTION_WORD = z
  .object({
    log: z.uuid(),
    state: z.enum(['found', 'received', 'refused', 'perhaps', 'lost']),
    detail: z.string(),
    node: z.string(),
    header: hex(HEADER_BYTES),
    powHash: hex(32),
    blockDifficulty: z.string().regex(/^[1-9]\d{0,99}$/),
    account: z.string(),
    rig: z.string(),
    foundAtMs: z.number(),
  })
  .transform(({ log, state, detail, blockDifficulty, ...rest }): SolutionWord => {
    return { log, state, detail, solution: { ...rest, blockDifficulty: BigInt(blockDifficulty) } };
  });

type EncodedWord = z.input<typeof SOLUTION_WORD>;

export function encodeWord({ log, state, detail, solution }: SolutionWord): EncodedWord {
  const { header, powHash, blockDifficulty, ...rest } = solution;
  return {
    ...{ log, state, detail: storable(detail, MOST_DETAIL), ...rest },
    ...{ header: toHex(header), powHash: toHex(powHash), blockDifficulty: blockDifficulty.toString() },
  };
}

/** `undefined` for what {@link encodeWord} did not make. */
export function readWord(text: string): SolutionWord | undefined {
  try {
    return SOLUTION_WORD.parse(JSON.parse(text));
  } catch {
    return undefined; // counted as a damaged record
  }
}

export function keyOf({ powHash }: Pick<SolutionRecord, 'powHash'>): string {
  return toHex(powHash);
}

/** Solutions without a last word: after a crash they are posted again, so the segment that tells of them stays. */
export class OpenSolutions {
  readonly #open = new Map<string, { readonly word: SolutionWord; readonly segment: number }>();

  /** @param segment that it was written into. */
  wrote(word: SolutionWord, segment: number): void {
    const key = keyOf(word.solution);
    if (word.state !== 'found') this.#open.delete(key);
    else this.#open.set(key, { word, segment });
  }

  /** As it was written, without what became of it. */
  find(solution: SolutionRecord): Pick<SolutionWord, 'solution' | 'log'> | undefined {
    const { word } = this.#open.get(keyOf(solution)) ?? {};
    return word && { solution: word.solution, log: word.log };
  }

  holds(log: string, segment: number): boolean {
    return [...this.#open.values()].some((open) => open.word.log === log && open.segment === segment);
  }
}
