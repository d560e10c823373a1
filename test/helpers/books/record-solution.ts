/** Brings solutions into the books, as entries of logs of their own that are booked whole with them. */
import { randomUUID } from 'node:crypto';
import type { ShareLedger, SolutionRecord, SolutionState } from '../../../src/bridge/ports.js';
import type { Solution } from '../../../src/core/shares/share.js';
import { difficultyOf } from '../../../src/core/work/target.js';

export async function recordSolution(
  ledger: ShareLedger,
  { job, header, powHash, account, rig, foundAtMs }: Solution,
  state: SolutionState,
  detail = '',
): Promise<void> {
  const blockDifficulty = difficultyOf(job.blockTarget);
  const record = { node: job.node, header, powHash, blockDifficulty, account, rig, foundAtMs };
  await recordWord(ledger, record, state, detail);
}

export async function recordWord(
  ledger: ShareLedger,
  solution: SolutionRecord,
  state: SolutionState,
  detail = '',
): Promise<void> {
  const log = randomUUID();
  await ledger.recordEntries([
    {
      ...{ id: { log, number: 1 }, watermarkMs: solution.foundAtMs, ends: true },
      ...{ total: { shares: 0, work: 0n }, sums: [] },
      solutions: [{ solution, log: log, state, detail }],
    },
  ]);
}
