/**
 * Who gets what for which block: the whole rule, from what truly happened. Written from design.md 4 and 5 and the README.md of src/ledger, and
 * beside the program: of that it has the types of rules, and the arithmetic of largest remainders.
 */
import { expectedValue, lastWork, splitByWork, type Weight } from '../../../src/core/money/rewards.js';
import { EXPECTED_UNIT } from '../../../src/core/shares/share.js';
import type { RewardRules } from '../../../src/ledger/rules/rule-table.js';

export const SLOT_MS = 10_000;
const SLOTS_A_MINUTE = 6;
const SLOTS_A_PERIOD = 60;

export interface CountedShare {
  /** In which it counts: ten seconds, numbered since the epoch. */
  readonly slot: number;
  readonly account: string;
  readonly work: bigint;
  /** Of blocks, in units of 10^-18. */
  readonly expected: bigint;
}

export interface CountedBlock {
  readonly hash: string;
  readonly slot: number;
  readonly account: string;
  readonly difficulty: bigint;
  readonly reward: bigint;
  readonly fees: bigint;
  readonly isOnChain: boolean;
}

/** Account (`''`: the operator) -> amount. */
export type Amounts = Record<string, bigint>;

export interface Due {
  readonly balances: Amounts;
  /** Hash of a block on the chain -> who gets what of it. */
  readonly splits: Record<string, Amounts>;
}

/** What there is to be split, in the slots in which it counts. */
export interface Happened {
  readonly rules: RewardRules;
  readonly shares: readonly CountedShare[];
  readonly blocks: readonly CountedBlock[];
}

export function due(happened: Happened): Due {
  const { blocks, rules } = happened;
  const onChain = blocks.filter(({ isOnChain }) => isOnChain);
  const splits = Object.fromEntries(onChain.map((block) => [block.hash, splitOf(block, happened)]));
  const all = [...Object.values(splits), ...(rules.scheme === 'pps' ? paidShares(happened) : [])];
  const balances = sumOf(all.flatMap((amounts) => Object.entries(amounts)));
  return { balances, splits };
}

function splitOf(block: CountedBlock, happened: Happened): Amounts {
  const { scheme, fees } = happened.rules;
  const all = block.reward + block.fees;
  // Under pps the miners have had what the reward is worth; not so what transactions pay besides.
  const shared = scheme === 'pps' ? block.fees : all;
  const { credits, operator } = splitByWork(shared, weightsOf(block, happened), fees);
  return sumOf([
    ...credits.map(({ account, amount }): [string, bigint] => [account, amount]),
    ['', operator + all - shared],
  ]);
}

function weightsOf(block: CountedBlock, happened: Happened): Weight[] {
  const { scheme, pplnsWindow: window } = happened.rules;
  const { slot, account } = block;
  if (scheme === 'solo') return [{ account, work: 1n }];
  if (scheme !== 'pplns') return between(roundBefore(block, happened), slot, happened);
  if (window.of === 'time') return between(minuteOf(slot + 1 - window.ms / SLOT_MS) - 1, slot, happened);
  // Blocks of a slot have one window, by the highest of their difficulties.
  const difficulties = happened.blocks.filter((one) => one.slot === slot).map((one) => one.difficulty);
  const highest = difficulties.reduce((most, one) => (one > most ? one : most), 0n);
  return lastWork(piecesTo(slot, happened), (highest * window.permille) / 1000n);
}

/** The slot of the block before: under prop of the last that is on the chain, so that a round which came to nothing is paid by the next. */
function roundBefore({ slot }: CountedBlock, { blocks, rules }: Happened): number {
  const before = blocks.filter((one) => one.slot < slot && (one.isOnChain || rules.scheme === 'pps'));
  return Math.max(-1, ...before.map((one) => one.slot));
}

/** The newest first: the slots of the minute that is not over, then minutes. */
function* piecesTo(slot: number, happened: Happened): Generator<{ weights: Weight[] }> {
  const first = Math.min(slot, ...happened.shares.map((share) => share.slot));
  const minute = minuteOf(slot + 1);
  for (let at = slot; at >= minute; at--) yield { weights: between(at - 1, at, happened) };
  for (let at = minute; at > first; at -= SLOTS_A_MINUTE)
    yield { weights: between(at - SLOTS_A_MINUTE - 1, at - 1, happened) };
}

/** The first slot of the minute of a time in slots. */
function minuteOf(slot: number): number {
  return Math.floor(slot / SLOTS_A_MINUTE) * SLOTS_A_MINUTE;
}

function between(after: number, to: number, { shares }: Happened): Weight[] {
  return shares.filter(({ slot }) => slot > after && slot <= to);
}

/** Of each ten minutes what each account's shares were worth, less the fee. It is no block's: the operator pays it, and keeps what is nobody's. */
function paidShares({ shares, rules }: Happened): Amounts[] {
  const reward = rules.schedule[0]?.amount ?? 0n;
  const periods = new Set(shares.map(periodOf));
  return Array.from(periods, (period) => {
    const own = shares.filter((share) => periodOf(share) === period && share.account !== '');
    const expected = sumOf(own.map((share) => [share.account, share.expected]));
    const credits = Object.entries(expected).flatMap(([account, blocks]) => {
      const { amount } = expectedValue(reward, blocks, EXPECTED_UNIT);
      return splitByWork(amount, [{ account, work: 1n }], rules.fees).credits;
    });
    const paid = credits.flatMap(({ account, amount }): [string, bigint][] => [
      [account, amount],
      ['', -amount],
    ]);
    return sumOf(paid);
  });
}

const periodOf = ({ slot }: CountedShare): number => Math.floor(slot / SLOTS_A_PERIOD);

/** Without those that come to nothing. */
export function sumOf(parts: readonly (readonly [string, bigint])[]): Amounts {
  const sums: Amounts = {};
  for (const [account, amount] of parts) sums[account] = (sums[account] ?? 0n) + amount;
  return Object.fromEntries(Object.entries(sums).filter(([, amount]) => amount !== 0n));
}
