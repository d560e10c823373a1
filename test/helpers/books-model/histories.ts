/** Histories in a ledger of a test file, each from an empty one to what operators are shown at its end. */
import fc from 'fast-check';
import { beforeAll } from 'vitest';
import { accountIds } from '../../../src/ledger/accounts/accounts.js';
import { inTransaction } from '../../../src/ledger/database/transaction.js';
import { REWARD_RULES, type RewardRules } from '../../../src/ledger/rules/rule-table.js';
import type { Books } from '../books/books.js';
import { expectProved } from '../books/money.js';
import { temporaryFolder } from '../folder.js';
import { POOL_ACCOUNT } from './chain.js';
import { compare, compareExpected } from './compare.js';
import { ACCOUNTS, bringBack, bringToEnd, type Step, type StepName, steps, take } from './history.js';
import { steerTime } from './ledger-time.js';
import type { Truth } from './truth.js';
import { START_MS, World } from './world.js';

const MACHINES = 3;
const MOST_STEPS = 60;
const MINUTE_MS = 60_000;

const RULES: RewardRules = {
  ...REWARD_RULES,
  scheme: 'prop',
  poolAccounts: [POOL_ACCOUNT],
  // So short that it runs out in many of them, and longer than one turn counts for.
  patienceMs: (2 * MINUTE_MS) / 3,
  fees: { basisPoints: 130, overrides: new Map([['k:b', 0]]) },
};

export const SCHEMES: Record<'prop' | 'pplns by work' | 'pplns by time' | 'solo' | 'pps', RewardRules> = {
  prop: RULES,
  'pplns by work': { ...RULES, scheme: 'pplns', pplnsWindow: { of: 'difficulty', permille: 2500n } },
  'pplns by time': { ...RULES, scheme: 'pplns', pplnsWindow: { of: 'time', ms: 35_000 } },
  solo: { ...RULES, scheme: 'solo' },
  pps: { ...RULES, scheme: 'pps', schedule: [{ fromHeight: 0, amount: 2n * 10n ** 12n }] },
};

export type SchemeName = keyof typeof SCHEMES;

/** Sums of days ago are of longer times: so a window by work that goes back so far ends elsewhere than by the model. */
const WEIGHTS: Partial<Record<SchemeName, Partial<Record<StepName, number>>>> = {
  'pplns by work': { leap: 0 },
};

/**
 * To be called once, at the top of the file. What it returns resolves where the ledger is what the model says, with what happened in that history, and
 * rejects with how it is not.
 */
export function useHistories(books: Books) {
  let setTime: (nowMs: number) => Promise<void>;
  beforeAll(async () => {
    setTime = await steerTime(books.pool);
    // Numbered by name: equal remainders go by number, and in the model by name.
    for (const name of ACCOUNTS.filter((each) => each !== ''))
      await inTransaction(books.pool, (client) => accountIds(client, [name]));
  });
  return async (scheme: SchemeName, startMs: number, history: readonly Step[]): Promise<Truth['counts']> => {
    const rules = SCHEMES[scheme];
    await using folder = await temporaryFolder();
    await books.empty();
    const { ledger } = books;
    const world = await World.begin({
      ledger,
      setTime,
      folder: folder.path,
      machines: MACHINES,
      rules,
      startMs,
    });
    try {
      for (const step of history) await take(world, step);
      const last = await bringBack(world);
      await compareExpected(world, ledger, rules);
      await bringToEnd(world, last, rules.scheme === 'pps');
      await compare(world, ledger, rules);
      await expectProved(books.pool);
      return world.truth.counts;
    } finally {
      await world.end();
    }
  };
}

type Happens = (...given: Parameters<ReturnType<typeof useHistories>>) => Promise<unknown>;

const start = fc.nat(59).map((second) => START_MS + 10 * MINUTE_MS + 1000 * second);

/** That the ledger is what the model says, whatever happens. @param first what happens before that. */
export function paysByModel(
  happens: Happens,
  scheme: SchemeName,
  { first = [] as readonly Step[], most = MOST_STEPS } = {},
) {
  return fc.asyncProperty(start, steps(MACHINES, most, WEIGHTS[scheme]), async (startMs, history) => {
    await happens(scheme, startMs, [...first, ...history]);
  });
}
