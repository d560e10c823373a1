/**
 * Two or three bridges, each a process of its own, that are started, stopped, killed and cut off, with their servers killed beneath them: in the end
 * the ledger is what the model says, to the last unit. BRIDGE_TEST_SEED takes histories from that seed on; each has the next number.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SCHEMES, type SchemeName } from '../helpers/books-model/histories.js';
import { historyOf } from '../helpers/books-model/processes/history.js';
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
