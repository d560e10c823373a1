import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAmount } from '../../src/core/amount.js';
import { type Log, SILENT } from '../../src/core/log.js';
import { applySight } from '../../src/ledger/blocks/block-moves.js';
import { listFollowed } from '../../src/ledger/blocks/blocks.js';
import { type SplitWatch, startSplitWatch } from '../../src/ledger/blocks/split-watch.js';
import { REWARD_RULES, type RewardRules } from '../../src/ledger/settlement/reward-rules.js';
import { verifyBooks } from '../../src/ledger/settlement/verify.js';
import { useBooks } from '../helpers/books.js';
import { makeShare } from '../helpers/shares.js';
import { makeSolution } from '../helpers/solutions.js';

const FOUND_MS = 1_700_000_000_000;
const PROP: RewardRules = { ...REWARD_RULES, scheme: 'prop' };

const books = useBooks();
let warnings: string[];

beforeEach(async () => {
  await books.empty();
  warnings = [];
});

const log: Log = { ...SILENT, warn: (_fields, message) => void warnings.push(message) };

function watch(): SplitWatch {
  return startSplitWatch({ pool: books.pool, log, intervalMs: 3_600_000 });
}

async function record(acceptedAtMs: number): Promise<void> {
  const shares = [makeShare({ account: 'a', difficulty: 5n, acceptedAtMs })];
  await books.ledger.recordEntry({ id: { producer: randomUUID(), number: 1 }, shares, rejections: [] });
}

/** A block that is on the chain and split. */
async function split(rules: RewardRules): Promise<string> {
  await books.ledger.recordSolution(makeSolution({ foundAtMs: FOUND_MS }), 'received', '');
  const [block] = await listFollowed(books.pool, 1);
  const id = block?.solutionId ?? '';
  const sight = { state: 'onChain' as const, depth: 1, tipHeight: 7, settled: false, isSeen: true };
  await applySight(books.pool, id, sight, { amount: parseAmount('2') ?? 0n, source: 'schedule' }, rules);
  return id;
}

async function noted(): Promise<string[]> {
  const proofs = await verifyBooks(books.pool);
  expect(proofs.flatMap(({ broken }) => broken)).toEqual([]);
  return proofs.flatMap((proof) => proof.noted);
}

describe('B3: shares that waited while a block was split', () => {
  it('are told in the log and by verify, summed', async () => {
    await record(FOUND_MS - 60_000);
    const id = await split(PROP);
    const one = watch();
    await one.look();
    expect([await noted(), warnings]).toEqual([[], []]);
    await record(FOUND_MS - 60_000);
    await record(FOUND_MS - 90_000);
    const words = `the block of solution ${id} was split while shares waited: 2 shares of work 10 from before it came into the books after its split`;
    expect(await noted()).toEqual([words]);
    await one.look();
    await one.look();
    expect(warnings).toEqual([words]);
    await one.close();
  });

  it('are no matter when they were on their way for a moment, came after the block, or count for no block', async () => {
    await split(PROP);
    await record(FOUND_MS - 2_500);
    await record(FOUND_MS + 5_000);
    expect(await noted()).toEqual([]);
    await books.empty();
    await split({ ...PROP, scheme: 'solo' });
    await record(FOUND_MS - 60_000);
    expect(await noted()).toEqual([]);
  });
});

it('B3: shares of seconds before a block are told too, and of those of one entry only the late ones', async () => {
  const id = await split(PROP);
  const shares = [4_000, 6_500, 500, -3_000].map((ms) =>
    makeShare({ difficulty: 5n, acceptedAtMs: FOUND_MS - ms }),
  );
  await books.ledger.recordEntry({ id: { producer: randomUUID(), number: 1 }, shares, rejections: [] });
  expect(await noted()).toEqual([
    expect.stringContaining(`the block of solution ${id} was split while shares waited: 2 shares of work 10`),
  ]);
});
