/** What the books are to say of blocks and work: the rules once more, slot by slot, in few words. */
import { lastWork, type Split, splitByWork, type Weight } from '../../../src/core/money/rewards.js';
import type { RewardRules } from '../../../src/ledger/rules/rule-table.js';

export const SLOT_MS = 10_000;
export const START_MS = 1_700_000_000_000;
/** Of every block; blocks of a slot have one window, by the highest of theirs. */
export type Difficulty = bigint;

export interface Work {
  /** Counted from {@link START_MS}. */
  readonly slot: number;
  readonly account: string;
  readonly work: bigint;
}

export interface Found {
  readonly slot: number;
  readonly foundAtMs: number;
  readonly account: string;
  readonly difficulty: Difficulty;
  readonly reward: bigint;
  readonly fees: bigint;
  readonly state: 'confirmed' | 'orphaned';
}

export interface Told {
  /** In the slots in which the books count it. */
  readonly work: readonly Work[];
  readonly blocks: readonly Found[];
  /** In force at a time. */
  readonly rules: (at: Date) => RewardRules;
  /** The books' number of an account: equal remainders go by it. */
  readonly numbers: ReadonlyMap<string, number>;
}

/** Account (`''`: the operator) -> what it has got of all blocks on the chain. */
export function due(told: Told): Record<string, bigint> {
  const money: Record<string, bigint> = {};
  const give = (account: string, amount: bigint): void => {
    money[account] = (money[account] ?? 0n) + amount;
  };
  for (const block of told.blocks.filter(isOnChain))
    for (const { credits, operator } of splitsOf(block, told)) {
      for (const { account, amount } of credits) give(account.replace(/^\d+ /, ''), amount);
      give('', operator);
    }
  return Object.fromEntries(Object.entries(money).filter(([, amount]) => amount > 0n));
}

const isOnChain = ({ state }: Found): boolean => state === 'confirmed';

function splitsOf(block: Found, told: Told): Split[] {
  const { scheme, fees } = rulesOf(block, told);
  const names = Array.from(fees.overrides, ([name, fee]): [string, number] => [numbered(name, told), fee]);
  const byNumber = { ...fees, overrides: new Map(names) };
  const all = block.reward + block.fees;
  const waiting = roundsThatWait(block, told);
  if (scheme === 'prop')
    return [splitByWork(all, [...waiting, ...between(lastBlock(block, told), block.slot, told)], byNumber)];
  const [work, own] = [sumOf(waiting), sumOf(between(lastBlock(block, told), block.slot, told))];
  const part = work === 0n ? 0n : (all * work) / (work + own);
  return [splitByWork(part, waiting, byNumber), splitByWork(all - part, windowOf(block, told), byNumber)];
}

function rulesOf({ slot, foundAtMs }: Found, { rules }: Told): RewardRules {
  return rules(new Date(Math.min(foundAtMs, START_MS + slot * SLOT_MS)));
}

/** Rounds of `prop` before this slot, back to the last block on the chain: each from the block before to its own. */
function roundsThatWait({ slot }: Found, told: Told): Weight[] {
  const paid = Math.max(
    -1,
    ...told.blocks.filter((one) => isOnChain(one) && one.slot < slot).map((one) => one.slot),
  );
  const open = told.blocks.filter(
    (one) => one.slot > paid && one.slot < slot && rulesOf(one, told).scheme === 'prop',
  );
  const slots = [...new Set(open.map((one) => one.slot))];
  return slots.flatMap((at) => between(lastBlock({ slot: at }, told), at, told));
}

/** The slot of the block before, wherever that is. */
function lastBlock({ slot }: Pick<Found, 'slot'>, { blocks }: Told): number {
  return Math.max(-1, ...blocks.filter((one) => one.slot < slot).map((one) => one.slot));
}

function windowOf(block: Found, told: Told): Weight[] {
  const { scheme, pplnsWindow: window } = rulesOf(block, told);
  const { slot } = block;
  if (scheme === 'solo') return [{ account: numbered(block.account, told), work: 1n }];
  if (window.of === 'time') return between(minuteOf(slot + 1 - window.ms / SLOT_MS) - 1, slot, told);
  const difficulty = told.blocks
    .filter((one) => one.slot === slot)
    .reduce((most, one) => (one.difficulty > most ? one.difficulty : most), 0n);
  return lastWork(piecesTo(slot, told), (difficulty * window.permille) / 1000n);
}

/** The newest first: the slots of the minute that is not over, then minutes. */
function* piecesTo(slot: number, told: Told): Generator<{ weights: Weight[] }> {
  const minute = minuteOf(slot + 1);
  for (let at = slot; at >= minute; at--) yield { weights: between(at - 1, at, told) };
  for (let at = minute; at > -6; at -= 6) yield { weights: between(at - 7, at - 1, told) };
}

/** The first slot of the minute of a time in slots. */
function minuteOf(time: number): number {
  const start = START_MS / SLOT_MS;
  return Math.floor((start + time) / 6) * 6 - start;
}

function between(after: number, to: number, told: Told): Weight[] {
  return told.work
    .filter(({ slot }) => slot > after && slot <= to)
    .map(({ account, work }) => ({ account: numbered(account, told), work }));
}

function numbered(name: string, { numbers }: Told): string {
  return `${numbers.get(name)} ${name}`;
}

function sumOf(weights: readonly Weight[]): bigint {
  return weights.reduce((sum, { work }) => sum + work, 0n);
}
