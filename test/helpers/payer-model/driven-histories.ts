/** Histories of the payer's model, lived by the ledger of a test file. */
import { beforeAll, expect } from 'vitest';
import type { Books } from '../books/books.js';
import { expectProved } from '../books/money.js';
import { steerTime } from '../books-model/ledger-time.js';
import { Driven } from './driven.js';
import type { LeftOut } from './driven-books.js';
import { live, type Named } from './histories.js';
import { installCopies } from './kept-books.js';
import { Payer } from './model.js';
import { Wrong } from './rules.js';

interface Lives {
  /** Rejects where something comes out that must never be. @param out rules that do not hold of what is simulated. */
  lives(history: readonly Named[], out?: readonly LeftOut[]): Promise<void>;
  /** Where the model does: what a reorganisation below the depth takes back may be paid twice by both, and nobody can prevent it. */
  livesAsModel(history: readonly Named[]): Promise<void>;
  /** Also where something is another way than by the model, after any step. */
  compares(history: readonly Named[]): Promise<void>;
  /** What happened in all of them, so often. */
  readonly counts: Readonly<Record<string, number>>;
}

/** What is in the books at the end of a history. */
const IN_BOOKS = `
  SELECT count(*) FILTER (WHERE t.state = 'paid')::int AS paid, count(*) FILTER (WHERE t.state = 'failed')::int AS failed,
    count(*) FILTER (WHERE t.state = 'dead')::int AS dead, count(*) FILTER (WHERE o.approval_why = 'found on its chain')::int AS found,
    count(*) FILTER (WHERE n.note LIKE 'the balance of its account does not cover%' AND t.id IS NULL)::int AS withdrawn
  FROM payout_line n JOIN payout o ON o.id = n.payout_id LEFT JOIN chain_transaction t ON t.line_id = n.id`;

/** To be called once, at the top of the file. */
export function useDriven(books: Books): Lives {
  let around: { readonly pool: Books['pool']; readonly setTime: (nowMs: number) => Promise<void> };
  beforeAll(async () => {
    const { pool } = books;
    // Nothing here is to outlive a crash of the server.
    const inMemory = 'SET synchronous_commit = off';
    pool.on('connect', (client) => void client.query(inMemory).catch(() => {})); // it broke, and is not used
    await pool.query(inMemory);
    around = { pool, setTime: await steerTime(pool) };
    await installCopies(pool);
    await Driven.prepare(around);
  });
  const counts: Record<string, number> = {};
  const finish = async (driven: Driven): Promise<void> => {
    await driven.finish();
    await expectProved(books.pool);
    const { rows } = await books.pool.query<Record<string, number>>(IN_BOOKS);
    for (const [what, count] of Object.entries({ ...driven.counts, ...rows[0] }))
      counts[what] = (counts[what] ?? 0) + count;
  };
  const lives: Lives['lives'] = async (history, out = []) => {
    const driven = await Driven.begin(around, out);
    for (const step of history) await take(driven, step);
    await finish(driven);
  };
  return {
    ...{ counts, lives },
    livesAsModel: async (history) => {
      if (endsWell(() => live(history))) await lives(history);
    },
    compares: async (history) => {
      const driven = await Driven.begin(around);
      const model = new Payer();
      for (const step of history) {
        await take(driven, step);
        if (!endsWell(() => step.does(model))) return;
        expect({ after: step.says, ...(await driven.shown()) }).toEqual({
          after: step.says,
          ...model.shown(),
        });
      }
      if (endsWell(() => model.finish())) await finish(driven);
    },
  };
}

function endsWell(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof Wrong) return false;
    throw error;
  }
}

async function take(driven: Driven, { method, values }: Named): Promise<void> {
  await (driven[method] as (...given: readonly unknown[]) => Promise<void>).call(driven, ...values);
}
