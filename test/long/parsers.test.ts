/** The parsers of what others send, led by what of them was reached so far. BRIDGE_TEST_SEED sets another seed. */
import { expect, it } from 'vitest';
import { guideParsers } from '../helpers/fuzz/guided-run.js';

const SEED = Number(process.env['BRIDGE_TEST_SEED'] ?? Math.floor(Date.now() / 1000));
const INPUTS = 300_000;

it(`hold what they promise in ${INPUTS} inputs each (seed ${SEED})`, async () => {
  const { began, reached, pieces, kept, missing } = await guideParsers(SEED, INPUTS);
  process.stdout.write(
    `${reached} of ${pieces} pieces reached, by the seeds alone ${began}; ${kept} inputs kept\n`,
  );
  process.stdout.write(`not reached: ${missing.join(', ')}\n`);
  expect(reached / pieces).toBeGreaterThan(0.9);
});
