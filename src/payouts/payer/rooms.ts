/** What may be taken of each chain now. */
import type { PayerState } from '../../bridge/payouts/payer-books.js';
import type { Amount } from '../../core/money/amount.js';
import { eachOf } from '../turns.js';
import type { Funds, Head } from './nodes.js';
import type { Turn } from './turn.js';

export interface Room {
  readonly head: Head;
  /** At the depth, without what is under way and the reserve. */
  coins: Amount;
  /** In the next blocks. */
  places: number;
}

/** As many wait on a chain as fill two blocks: more would only wait longer, and be past their time. */
const BLOCKS_FILLED = 2;
/** Of a block (`transfers.md`, 5). */
const BLOCK_GAS = 150_000;
/** A chain without a block for so long takes in nothing now: what is built on it would only die. */
const STANDS_STILL_MS = 600_000;

/** `trouble`: a sentence, where nothing is to be had of a chain that has coins. */
export async function roomsOf(
  turn: Turn,
  chains: readonly number[],
  { open, nowMs }: Pick<PayerState, 'open' | 'nowMs'>,
): Promise<{ readonly rooms: Map<number, Room>; readonly trouble: string }> {
  const { nodes, terms, rules } = turn;
  const heads = await nodes.heads();
  const faults: string[] = [];
  const moving: { readonly chainId: number; readonly head: Head }[] = [];
  for (const chainId of chains) {
    const head = heads.get(chainId);
    if (!head) {
      faults.push(`chain ${chainId} is not shown by as many nodes as are needed`);
      continue;
    }
    const newestMs = Number(head.timeMicros / 1000n);
    if (nowMs - newestMs > STANDS_STILL_MS)
      faults.push(
        `chain ${chainId} stands still: its newest block is of ${new Date(newestMs).toISOString()}`,
      );
    else moving.push({ chainId, head });
  }
  const told = new Map<number, Funds | string>();
  await eachOf(moving, async ({ chainId, head }) => {
    told.set(chainId, await nodes.funds(chainId, head));
  });
  const rooms = new Map<number, Room>();
  for (const { chainId, head } of moving) {
    const funds = told.get(chainId);
    if (funds === undefined) continue;
    if (typeof funds === 'string') faults.push(funds);
    else if (await isGuarded(turn, chainId, funds)) {
      const mine = open.filter((one) => one.chainId === chainId);
      const bespoken = mine.reduce((sum, { amount, gas }) => sum + amount + gas, 0n);
      const coins = funds.balance - bespoken - rules.reserve;
      const places = BLOCKS_FILLED * Math.floor(BLOCK_GAS / terms.gasLimit) - mine.length;
      rooms.set(chainId, { head, coins: coins > 0n ? coins : 0n, places: Math.max(0, places) });
    }
  }
  return { rooms, trouble: faults[0] ?? '' };
}

async function isGuarded(
  { role, terms: { from } }: Turn,
  chainId: number,
  { guard }: Funds,
): Promise<boolean> {
  if (guard === undefined) return false;
  const keys = [...from.publicKeys].sort().join();
  if (guard !== 'other' && guard.pred === from.predicate && guard.keys.join() === keys) return true;
  await role.pause('guard', `on chain ${chainId} it is ${JSON.stringify(guard)}`);
  return false;
}
