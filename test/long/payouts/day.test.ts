/**
 * 34: a day of 500 accounts in fast motion. STRATUM_BRIDGE_TEST_HOURS and BRIDGE_TEST_SEED set another length and another course; what a process
 * is doing when it is killed is never quite the same.
 */
import { it } from 'vitest';
import { BLOCKS_AN_HOUR, PayerDay } from './payer-day.js';

const ACCOUNTS = 500;
const HOURS = Number(process.env['STRATUM_BRIDGE_TEST_HOURS'] ?? 1);
const SEED = process.env['BRIDGE_TEST_SEED'] ?? '34';
/** On a machine that others keep busy an hour takes minutes. */
const PATIENCE_MS = 600_000 * (1 + HOURS);

it(`34: in ${HOURS} hours of ${ACCOUNTS} accounts, with kills, faults and reorganisations, nobody gets more than is due, and all of it in the end`, {
  timeout: PATIENCE_MS,
}, async () => {
  await using day = await PayerDay.open(ACCOUNTS, SEED);
  try {
    for (let hour = 0; hour < HOURS; hour++) {
      for (let block = 0; block < BLOCKS_AN_HOUR; block++) await day.block();
      await day.check();
      process.stdout.write(`hour ${hour + 1}: ${await day.told()}\n`);
    }
    await day.end();
  } catch (error) {
    const again = `STRATUM_BRIDGE_TEST_HOURS=${HOURS} BRIDGE_TEST_SEED=${SEED}`;
    throw new Error(`${again}: ${(error as Error).message}; ${await day.told()}`, { cause: error });
  }
});
