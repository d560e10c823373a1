/** One bridge of all does the chores, and another one when that is gone. */
import { expect, it, onTestFinished } from 'vitest';
import { type Log, SILENT } from '../../src/core/names/log.js';
import { type Chore, LEADER_LOCK, type Leader, startLeader } from '../../src/ledger/database/leader.js';
import { useBooks } from '../helpers/books/books.js';

const books = useBooks({ onOwnServer: true });

function lead(chores: readonly Chore[], log: Log = SILENT): Leader {
  const leader = startLeader(books.pool, { chores, log, intervalMs: 20 });
  onTestFinished(() => leader.close());
  return leader;
}

function counting(name: string, counts: Record<string, number>, everyMs = 0): Chore {
  return {
    name,
    everyMs,
    run: async () => {
      counts[name] = (counts[name] ?? 0) + 1;
    },
  };
}

it('is one of several, and another one once it has gone', async () => {
  const counts: Record<string, number> = {};
  const first = lead([counting('first', counts)]);
  await expect.poll(() => counts['first'], { timeout: 20_000 }).toBeGreaterThan(1);
  lead([counting('second', counts)]);
  const before = counts['first'] ?? 0;
  await expect.poll(() => counts['first'], { timeout: 20_000 }).toBeGreaterThan(before + 5);
  expect(counts).not.toHaveProperty('second');
  await first.close();
  await expect.poll(() => counts['second'], { timeout: 20_000 }).toBeGreaterThan(1);
});

it('leads again after its connection was cut', async () => {
  const counts: Record<string, number> = {};
  lead([counting('chore', counts)]);
  await expect.poll(() => counts['chore'], { timeout: 20_000 }).toBeGreaterThan(0);
  await books.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = $1",
    [LEADER_LOCK],
  );
  const before = counts['chore'] ?? 0;
  await expect.poll(() => counts['chore'], { timeout: 20_000 }).toBeGreaterThan(before + 2);
});

it('does each chore as often as it says, and the others when one fails', async () => {
  const counts: Record<string, number> = {};
  const warnings: string[] = [];
  const fails: Chore = { name: 'a chore', run: () => Promise.reject(new Error('no')) };
  const log: Log = { ...SILENT, warn: (_fields, message) => void warnings.push(message) };
  const leader = lead([fails, counting('seldom', counts, 3_600_000), counting('often', counts)], log);
  await expect.poll(() => counts['often'], { timeout: 20_000 }).toBeGreaterThan(3);
  leader.soon();
  expect(counts['seldom']).toBe(1);
  expect(warnings).toContain('a chore failed; it is tried again');
});
