/** What new lines and transactions may take of each chain, by what was read of it and by what is under way. Pure. */
import type { Bespoken, LiveTransaction, Pause } from '../../bridge/payouts/payer-books.js';
import { type Amount, formatAmount } from '../../core/money/amount.js';
import type { LookedAt } from './look.js';
import type { Round } from './parts.js';
import { costOf, type PayerTerms } from './terms.js';

/** Of a block (`transfers.md`, 5). */
const BLOCK_GAS = 150_000;
/** As many wait on a chain as fill so many blocks: more would only wait longer, and be past their time. */
const BLOCKS_FILLED = 2;

interface Room {
  coins: bigint;
  places: number;
}

/** What is asked of a chain: who plans without nodes has it from the books. */
export type Funded = Pick<LookedAt, 'chainId' | 'account' | 'trouble'>;

type Terms = Pick<Round, 'terms'>;

/** For transactions, of each chain that nothing is wrong with. */
export function roomsOf(
  { terms }: Terms,
  chains: ReadonlyMap<number, Funded>,
  live: readonly LiveTransaction[],
): Map<number, Room> {
  const underWay = underWayOf(chains, live);
  const rooms = new Map<number, Room>();
  const most = BLOCKS_FILLED * Math.floor(BLOCK_GAS / terms.gasLimit);
  for (const { chainId, account, trouble } of chains.values()) {
    if (!account || trouble !== '') continue;
    const { cost, waiting } = underWay.get(chainId) ?? NOTHING;
    const coins = account.balance - cost - terms.reserve;
    rooms.set(chainId, { coins: atLeastZero(coins), places: Math.max(0, most - waiting) });
  }
  return rooms;
}

/** For lines of a new batch: besides, those that have no transaction yet will take theirs. */
export function fundsOf(
  { terms }: Terms,
  chains: ReadonlyMap<number, Funded>,
  live: readonly LiveTransaction[],
  bespoken: readonly Bespoken[],
): { readonly chainId: number; readonly available: Amount }[] {
  return Array.from(roomsOf({ terms }, chains, live), ([chainId, { coins }]) => {
    const mine = bespoken.filter((one) => one.chainId === chainId);
    const taken = mine.reduce((sum, one) => sum + costOfLines(one, terms), 0n);
    return { chainId, available: atLeastZero(coins - taken) };
  });
}

/**
 * Lines are planned with coins that are there, so all that is under way can be paid, and the reserve is left. Where the chains together
 * have less than that, coins are gone that no payment took. One chain alone may have too little: its lines wait, and others go on.
 */
export function coinsMissing(
  { terms }: Terms,
  chains: ReadonlyMap<number, Funded>,
  live: readonly LiveTransaction[],
  bespoken: readonly Bespoken[],
): Pause | undefined {
  const underWay = underWayOf(chains, live);
  const approved = bespoken.filter(({ isApproved }) => isApproved);
  // Of a chain that was never read nobody knows what it has.
  if (approved.some(({ chainId }) => !chains.get(chainId)?.account)) return undefined;
  const sums: ChainSum[] = [];
  for (const { chainId, account } of chains.values()) {
    if (!account) return undefined;
    const [lines] = approved.filter((one) => one.chainId === chainId);
    const owed = (underWay.get(chainId)?.cost ?? 0n) + (lines ? costOfLines(lines, terms) : 0n);
    sums.push({ chainId, has: account.balance, owed });
  }
  const has = sums.reduce((sum, one) => sum + one.has, 0n);
  const owed = sums.reduce((sum, one) => sum + one.owed, 0n);
  if (owed <= has) return undefined;
  const [all, wanted, missing] = [has, owed, owed - has].map(formatAmount);
  return {
    kind: 'coins-missing',
    says: `the chains together have ${all}, and what is under way takes ${wanted} with its gas: ${missing} that was there when it was planned is gone`,
    evidence: {
      ...{ has: all, owed: wanted, missing },
      chains: sums.map((one) => ({
        chainId: one.chainId,
        has: formatAmount(one.has),
        owed: formatAmount(one.owed),
      })),
    },
  };
}

interface ChainSum {
  readonly chainId: number;
  readonly has: Amount;
  readonly owed: Amount;
}

function costOfLines({ lines, amount }: Bespoken, { gasLimit, gasPrice }: PayerTerms): Amount {
  return amount + BigInt(lines) * BigInt(gasLimit) * gasPrice;
}

interface UnderWay {
  /** What it can take still. */
  cost: Amount;
  /** For a block. */
  waiting: number;
}

const NOTHING: UnderWay = { cost: 0n, waiting: 0 };

function underWayOf(
  chains: ReadonlyMap<number, Funded>,
  live: readonly LiveTransaction[],
): ReadonlyMap<number, UnderWay> {
  const found = new Map<number, UnderWay>();
  for (const one of live) {
    const mine = found.get(one.chainId) ?? { ...NOTHING };
    found.set(one.chainId, mine);
    if (isWaiting(one)) mine.waiting++;
    const readHeight = chains.get(one.chainId)?.account?.read.height;
    if (readHeight === undefined || !isSpent(one, readHeight)) mine.cost += costOf(one);
  }
  return found;
}

/** Those in blocks take no more room in the next one. */
function isWaiting({ state }: LiveTransaction): boolean {
  return state === 'built' || state === 'signed' || state === 'sent' || state === 'unknown';
}

/** What a block that was read has taken from the account already. */
function isSpent({ state, included }: LiveTransaction, readHeight: number): boolean {
  return (
    (state === 'confirmed' || state === 'refused') && included !== undefined && included.height <= readHeight
  );
}

function atLeastZero(coins: Amount): Amount {
  return coins > 0n ? coins : 0n;
}
