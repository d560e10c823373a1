/**
 * Ten million messages of every kind over every transport: no error escapes, no answer is another than ours, good rigs mine on
 * beside them, and what is held does not grow. BRIDGE_TEST_MESSAGES and BRIDGE_TEST_SEED set other numbers.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { runCampaign, WITHOUT_LIMITS } from '../helpers/fuzz/campaign.js';

const MESSAGES = Number(process.env['BRIDGE_TEST_MESSAGES'] ?? 10_000_000);
const SEED = Number(process.env['BRIDGE_TEST_SEED'] ?? Math.floor(Date.now() / 1000));
const SAMPLES = 30;
/** Caches, compiled code and the like come to rest; what leaks goes on. */
const GROWTH_BYTES = 3 * 2 ** 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it(`holds against ${MESSAGES} messages (seed ${SEED})`, async () => {
  const heap: number[] = [];
  const onRound = (messages: number): void => {
    if (messages < (heap.length + 1) * (MESSAGES / SAMPLES)) return;
    collectGarbage();
    heap.push(process.memoryUsage().heapUsed);
  };
  const tally = await runCampaign({
    seed: SEED,
    messages: MESSAGES,
    longest: 5_000,
    limits: WITHOUT_LIMITS,
    onRound,
  });
  const shown = heap.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(' ');
  process.stdout.write(`${JSON.stringify(tally)}\nheap in MiB: ${shown}\n`);
  const [middle, end] = [
    meanOf(heap.slice(SAMPLES / 3, (2 * SAMPLES) / 3)),
    meanOf(heap.slice((2 * SAMPLES) / 3)),
  ];
  expect(end - middle).toBeLessThan(GROWTH_BYTES);
});

it('answers each wrong account and password, late as that is', async () => {
  const accounts = { mode: 'password', passwords: { a: 'x', good: 'x' } } as const;
  const limits = { ...WITHOUT_LIMITS, loginsPerSession: 1e6 };
  const tally = await runCampaign({ seed: SEED, messages: MESSAGES / 2_000, longest: 100, limits, accounts });
  process.stdout.write(`${JSON.stringify(tally)}\n`);
  expect(tally.proven).toBeGreaterThan(0);
});

it('keeps good rigs and closes strangers with the limits that a bridge has', async () => {
  const tally = await runCampaign({ seed: SEED, messages: MESSAGES / 100, longest: 300, limits: {} });
  process.stdout.write(`${JSON.stringify(tally)}\n`);
  expect(tally.goodShares).toBeGreaterThan(0);
});

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
