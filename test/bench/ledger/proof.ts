/** How long `ledger verify` takes on the books of a year, and what recording loses to it. */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { SILENT } from '../../../src/core/names/log.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { verifyBooks } from '../../../src/ledger/proof/verify.js';
import { startTestPostgres } from '../../helpers/books/postgres.js';
import { makeShare } from '../../helpers/rigs/shares.js';
import { makeProvedYear } from './proved-year.js';

const MOST_SECONDS = 60;
const ROUNDS = 3;
const ROUND_MS = 5000;

/** Ten rigs to an account. `BENCH_RIGS` takes fewer. */
export async function benchProof(rigs = Number(process.env['BENCH_RIGS'] ?? 10_000)): Promise<void> {
  const { stdout } = process;
  const postgres = await startTestPostgres();
  const ledger = await openLedger({ connectionString: postgres.connectionString, log: SILENT });
  try {
    stdout.write(`\nbooks of a year of ${rigs} rigs are made: some minutes\n`);
    await makeProvedYear(ledger.pool, rigs);
    const seconds = await prove(ledger);
    const missed = seconds > MOST_SECONDS ? ' **missed**' : '';
    stdout.write(`\`ledger verify\` of it: ${seconds.toFixed(1)} s (bar ${MOST_SECONDS} s)${missed}\n`);
    const { alone, beside } = await record(ledger);
    const part = (beside / alone).toFixed(2);
    stdout.write(
      `entries of 100 shares recorded a second: ${alone.toFixed(0)} alone, ${beside.toFixed(0)} beside it (${part})\n`,
    );
  } finally {
    await ledger.close();
    await postgres.close();
  }
}

/** Resolves with seconds. Books that do not balance would measure something else. */
async function prove({ pool }: Ledger): Promise<number> {
  const startedAt = performance.now();
  const broken = (await verifyBooks(pool)).flatMap((proof) => proof.broken);
  if (broken.length > 0) throw new Error(`the books do not balance: ${broken[0]}`);
  return (performance.now() - startedAt) / 1000;
}

/** In turns, so that whatever else the machine does takes from both alike. */
async function record(ledger: Ledger): Promise<{ alone: number; beside: number }> {
  const sums = { alone: 0, beside: 0 };
  const bridge = new Bridge(ledger);
  for (let round = 0; round < ROUNDS; round++) {
    sums.alone += (await bridge.records(ROUND_MS)) / ROUNDS;
    const proof = prove(ledger);
    sums.beside += (await bridge.records(ROUND_MS)) / ROUNDS;
    await proof;
  }
  return sums;
}

const SHARES = 100;

class Bridge {
  readonly #ledger: Ledger;
  readonly #log = randomUUID();
  #number = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Four entries at a time, as a recorder has them. Resolves with how many a second. */
  async records(ms: number): Promise<number> {
    const [startedAt, first] = [performance.now(), this.#number];
    const work = async (): Promise<void> => {
      while (performance.now() - startedAt < ms) await this.#ledger.recordEntry(this.#entry());
    };
    await Promise.all([1, 2, 3, 4].map(work));
    return (1000 * (this.#number - first)) / (performance.now() - startedAt);
  }

  #entry() {
    const number = ++this.#number;
    const nowMs = Date.now();
    const sums = Array.from({ length: SHARES }, (_, i) => {
      const { account, difficulty: work } = makeShare();
      const rig = `rig${(number * SHARES + i) % 1000}`;
      return {
        account,
        rig,
        slot: Math.floor(nowMs / 10_000),
        kind: 'accepted',
        submits: 1,
        work,
        expected: 0n,
        best: 0,
      } as const;
    });
    const total = { shares: number * SHARES, work: BigInt(number * SHARES) * makeShare().difficulty };
    return {
      id: { log: this.#log, number },
      watermarkMs: nowMs,
      ends: false,
      total,
      sums,
      solutions: [],
    };
  }
}
