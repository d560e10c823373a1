/**
 * Two or three bridges, each a process of its own, that are started, stopped, killed and cut off, with their servers killed beneath them: in the end
 * the ledger is what the model says, to the last unit. BRIDGE_TEST_SEED takes histories from that seed on; each has the next number.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SCHEMES, type SchemeName } from '../helpers/books-model/histories.js';
import { MENDS, withoutMend } from '../helpers/books-model/mends.js';
import { type History, historyOf } from '../helpers/books-model/processes/history.js';
import { type Counts, live } from '../helpers/books-model/processes/run.js';
import { Servers } from '../helpers/books-model/processes/servers.js';

const HISTORIES = Number(process.env['BRIDGE_TEST_HISTORIES'] ?? 30);
const MOST_SEEDS = 1_000_000_000;
const SEED = Number(process.env['BRIDGE_TEST_SEED'] ?? Math.floor(MOST_SEEDS * Math.random()));

let servers: Servers;
beforeAll(async () => {
  servers = await Servers.start();
});
afterAll(() => servers.close());

it.each(Object.keys(SCHEMES) as SchemeName[])(
  `pays by the model under %s, whatever happens to processes in ${HISTORIES} histories`,
  async (scheme) => {
    const sums: Record<string, number> = {};
    const startedMs = performance.now();
    for (let seed = SEED; seed < SEED + HISTORIES; seed++)
      for (const [what, number] of Object.entries(await told(scheme, seed)))
        sums[what] = (sums[what] ?? 0) + number;
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    process.stdout.write(
      `${JSON.stringify({ scheme, seed: SEED, histories: HISTORIES, seconds, ...sums })}\n`,
    );
    expect(sums['paid']).toBeGreaterThan(0);
  },
);

/** A bridge dies whose queue has lost what came before its block; it comes back when nobody waits for it any more. */
const BEFORE_ITS_BLOCK: History = {
  ...{ machines: 2, queue: 'redis', patienceMs: 60_000, second: 0 },
  steps: [
    [500, 'away', 1, 1, 1, 2],
    [3000, 'nothing', 0],
  ],
};

/** On a busy machine what is to be lost may be booked before. */
const MOST_TRIES = 6;

it('finds blocks that are paid without shares of before them, where LQ1 is not mended', async () => {
  if (!servers.redisUrl) return;
  const mend = MENDS.find(({ id }) => id === 'LQ1') ?? expect.fail('LQ1 has no mend');
  await live(servers, SCHEMES.prop, BEFORE_ITS_BLOCK);
  let found = '';
  for (let left = MOST_TRIES; left > 0 && found === ''; left--)
    await live(servers, SCHEMES.prop, BEFORE_ITS_BLOCK, (pool, act) => withoutMend(pool, mend, act)).catch(
      ({ message }: Error) => {
        found = message;
      },
    );
  expect(found).toContain('LQ1: shares of before solution 1');
});

/** What fails says how it is asked for once more. */
async function told(scheme: SchemeName, seed: number): Promise<Counts> {
  const history = historyOf(seed);
  try {
    return await live(servers, SCHEMES[scheme], history);
  } catch (error) {
    const again = `BRIDGE_TEST_SEED=${seed} BRIDGE_TEST_HISTORIES=1`;
    process.stdout.write(`${scheme}: ${again}: ${JSON.stringify(history)}\n`);
    (error as Error).message = `${again}: ${(error as Error).message}`;
    throw error;
  }
}
