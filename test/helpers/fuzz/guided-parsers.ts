/**
 * All parsers, fuzzed one after the other under one coverage. A program: seed and inputs for each parser as arguments, {@link Reach}
 * as JSON on its output; it fails with the shortest input that shows a fault.
 */
import { Coverage } from './coverage.js';
import { guide } from './guide.js';
import { Random } from './random.js';

/** Of the pieces of their code, how many the seeds alone reached, and how many all inputs. */
export interface Reach {
  readonly began: number;
  readonly reached: number;
  readonly pieces: number;
  readonly missing: readonly string[];
  readonly kept: number;
}

const FILES = [
  ...['message-parser', 'json', 'lines', 'frames'].map((file) => `src/wire/${file}`),
  ...['proxy-protocol', 'accounts'].map((file) => `src/stratum/admission/${file}`),
  'src/rig/wire',
];

/** So many inputs for each parser. Rejects with the shortest input that shows a fault. */
async function guideAll(seed: number, inputs: number): Promise<Reach> {
  const coverage = new Coverage(FILES);
  try {
    const { PARSERS } = await import('./parsers.js');
    coverage.look();
    if (coverage.unseen.length > 0) throw new Error(`nothing is counted of ${coverage.unseen.join(', ')}`);
    for (const { seeds, check } of PARSERS) for (const bytes of seeds) check(Buffer.from(bytes, 'latin1'));
    coverage.look();
    const began = coverage.reached;
    let kept = 0;
    for (const [i, parser] of PARSERS.entries()) {
      const { corpus } = await guide(parser, coverage, Random.of(seed, i), inputs);
      kept += corpus.length;
    }
    return { began, reached: coverage.reached, pieces: coverage.pieces, missing: coverage.missing, kept };
  } finally {
    coverage.stop();
  }
}

const [seed = 1, inputs = 1_000] = process.argv.slice(2).map(Number);
process.stdout.write(JSON.stringify(await guideAll(seed, inputs)));
