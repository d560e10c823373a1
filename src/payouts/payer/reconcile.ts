/**
 * Books and chain compared: what the chain has of these books that they do not know of is taken over, and what is not of these books
 * is listed. Restored books are whole again once no block can take anything any more that was signed before the restore.
 */
import {
  type Born,
  debitName,
  type ForeignDebit,
  type FoundPayment,
  type PayerState,
} from '../../bridge/payouts/payer-books.js';
import { formatAmount } from '../../core/money/amount.js';
import { readTransfer } from '../command/read.js';
import type { ChainSight, CheckedBlock, FoundCommand, TransferFact } from '../evidence/sight.js';
import { type SignedBefore, SignerError } from '../signer/signer.js';
import { debitsFrom, unexpected } from './account-watch.js';
import { type LookedAt, tooFew } from './look.js';
import type { Round } from './parts.js';
import { bury, type Coming, type Fates, fatesOf, signedUnknown } from './signed-before.js';

interface OnChain {
  readonly chainId: number;
  readonly from: number;
  readonly to: number;
  readonly missing: readonly FoundPayment[];
  /** Found above the depth: to be looked at again. So are those that cannot be entered yet. */
  readonly shallow: number;
  readonly foreign: readonly ForeignDebit[];
  /** Of what the signer log has, and these books and the chain do not. */
  readonly fates: Fates;
  /** Below what was read; absent: all was read that is asked for. */
  readonly unread:
    | { readonly chainId: number; readonly from: number; readonly to: number | null; readonly why: string }
    | undefined;
  /** The chain's time that has to pass, in seconds; absent: it has. */
  readonly untilS: number | undefined;
}

interface Asked {
  readonly round: Round;
  readonly state: PayerState;
  readonly since: (chainId: number) => number;
  readonly born: readonly Born[];
  /** Unknown to the books. */
  readonly signed: readonly SignedBefore[];
}

/** Of what is listed. */
const SHOWN = 100;

/**
 * From where books and chain may differ, where somebody has asked to compare them: up to there they are known to agree, or nothing was paid
 * on the chain by these books. `undefined`: nobody has asked.
 */
async function sinceOf(
  { seat }: Pick<Round, 'seat'>,
  { reconcile: order, chains }: PayerState,
): Promise<((chainId: number) => number) | undefined> {
  if (!order) return undefined;
  const born = await seat.born();
  return (chainId) => {
    const isOfChain = (one: { readonly chainId: number }): boolean => one.chainId === chainId;
    return order.sinceHeight ?? chains.find(isOfChain)?.comparedHeight ?? born.find(isOfChain)?.height ?? 0;
  };
}

/** From where blocks are read for that, and for what is to be proven besides. */
export async function comparedFrom(
  round: Pick<Round, 'seat' | 'memory'>,
  state: PayerState,
): Promise<((chainId: number) => number) | undefined> {
  const since = await sinceOf(round, state);
  const { provenFrom } = round.memory;
  return (
    since && ((chainId) => Math.min(since(chainId), provenFrom.get(chainId) ?? Number.POSITIVE_INFINITY))
  );
}

/** Where somebody has asked for it, and all was read that it needs. A signer that cannot say what it has signed is asked again in the next round. */
export async function reconcile(
  round: Round,
  state: PayerState,
  chains: ReadonlyMap<number, LookedAt>,
): Promise<void> {
  try {
    await compareAll(round, state, chains);
  } catch (error) {
    if (!(error instanceof SignerError)) throw error;
    round.log.warn({ why: error.message }, 'books and chain are not compared yet: it is tried again');
  }
}

async function compareAll(
  round: Round,
  state: PayerState,
  chains: ReadonlyMap<number, LookedAt>,
): Promise<void> {
  const { reconcile: order } = state;
  const since = await sinceOf(round, state);
  if (!order || !since || round.memory.reading.size > 0) return;
  const found: OnChain[] = [];
  const [born, signed] = [await round.seat.born(), await signedUnknown(round, state)];
  for (const { sight } of chains.values()) {
    const why = tooFew(round, sight);
    const asked = { round, state, since, born, signed };
    found.push(why === undefined ? await compare(asked, sight) : unseen(sight.chainId, since, why));
  }
  if (isMoreWanted(round, found)) return;
  const missing = found.flatMap((one) => one.missing);
  const dead = found.flatMap(({ fates }) => fates.dead);
  const left = order.applies && missing.length > 0 ? await round.seat.takeOver(missing) : 0;
  const waits = found.flatMap(({ chainId, untilS }) => (untilS === undefined ? [] : [{ chainId, untilS }]));
  const shallow = found.reduce((sum, one) => sum + one.shallow, left);
  const unread = found.flatMap((one) => one.unread ?? []);
  const awaited = found.flatMap(({ fates }) => fates.coming);
  if (order.applies) await bury(round, dead);
  await round.seat.reconciled({
    applied: order.applies,
    chains: found.map(({ chainId, from, to }) => ({ chainId, from, to })),
    missing: missing.slice(0, SHOWN).map(shownOf),
    missingCount: missing.length,
    missingTotal: formatAmount(
      missing.reduce((sum, { amount, status }) => sum + (status === 'success' ? amount : 0n), 0n),
    ),
    foreign: found.flatMap((one) => one.foreign).slice(0, SHOWN),
    shallow,
    ...{ waits, unread, signed: awaited.slice(0, SHOWN).map(signedShown), signedCount: awaited.length },
    ...{ dead: dead.slice(0, SHOWN).map(signedShown), deadCount: dead.length },
    unprovenCount: found.reduce((sum, { fates }) => sum + fates.unproven, 0),
    isDone:
      (order.applies || missing.length + dead.length === 0) &&
      shallow + waits.length + unread.length + awaited.length === 0,
  });
}

/** Nothing of it is taken over, and nothing proven. */
function unseen(chainId: number, since: (chainId: number) => number, why: string): OnChain {
  return {
    ...{ chainId, from: 0, to: 0, missing: [], shallow: 0, foreign: [], untilS: undefined },
    fates: { coming: [], dead: [], unproven: 0, readFrom: undefined },
    unread: { chainId, from: since(chainId), to: null, why },
  };
}

/** To prove that something can come no more: the next round looks further down. */
function isMoreWanted({ memory: { provenFrom } }: Round, found: readonly OnChain[]): boolean {
  const wanted = found.filter(({ fates }) => fates.readFrom !== undefined);
  if (wanted.length === 0) provenFrom.clear();
  for (const { chainId, fates } of wanted) provenFrom.set(chainId, fates.readFrom ?? 0);
  return wanted.length > 0;
}

function shownOf({ chainId, requestKey, account, amount, status, place }: FoundPayment) {
  return { chainId, requestKey, account, amount: formatAmount(amount), status, height: place.height };
}

function signedShown({ chainId, requestKey, paymentId: payment, attempt, amount, untilS }: Coming) {
  return { chainId, requestKey, payment, attempt, amount: formatAmount(amount), untilS };
}

function unreadOf({ blocks, troubles }: ChainSight, chainId: number, since: number): OnChain['unread'] {
  const [lowest] = blocks;
  if (lowest && lowest.height <= since) return undefined;
  const why = troubles[0]?.says ?? (lowest ? 'they are more than are kept' : 'no node gives the chain');
  return { chainId, from: since, to: lowest ? lowest.height - 1 : null, why };
}

async function compare(asked: Asked, sight: ChainSight): Promise<OnChain> {
  const { round, state, born } = asked;
  const { seat, terms } = round;
  const { chainId } = sight;
  const since = asked.since(chainId);
  const ttlS = born.reduce((longest, one) => Math.max(longest, one.ttlS), terms.ttlS);
  const blocks = sight.blocks.filter(({ height }) => height >= since);
  const ours = blocks.flatMap(({ commands }) => commands.map(({ requestKey }) => requestKey));
  const known = ours.length > 0 ? await seat.known(ours) : new Set<string>();
  const deepest = (sight.head?.height ?? 0) - terms.depth;
  const unknown = blocks.flatMap((block) =>
    block.commands.flatMap((command) => {
      if (known.has(command.requestKey)) return [];
      return foundIn(state, chainId, block, command) ?? [];
    }),
  );
  const isMine = new Set(unknown.map(({ requestKey }) => requestKey));
  return {
    chainId,
    from: blocks[0]?.height ?? 0,
    to: sight.head?.height ?? 0,
    missing: unknown.filter(({ place }) => place.height <= deepest),
    shallow: unknown.filter(({ place }) => place.height > deepest).length,
    foreign: await foreignIn(seat, { sight: withoutGas(sight, terms.from.account), since, isMine }),
    fates: fatesOf(asked.signed, sight, {
      ...{ depth: terms.depth, mostBlocks: round.eyes.mostBlocks },
      askedFrom: round.memory.provenFrom.get(chainId),
    }),
    unread: unreadOf(sight, chainId, since),
    untilS: waitsUntilS(state, sight, deepest, ttlS),
  };
}

/** What somebody has accepted is not asked about again. @param isMine request keys of what is not in the books, and theirs. */
async function foreignIn(
  seat: Round['seat'],
  {
    sight,
    since,
    isMine,
  }: { readonly sight: ChainSight; readonly since: number; readonly isMine: ReadonlySet<string> },
): Promise<ForeignDebit[]> {
  const debits = debitsFrom(sight, since);
  if (debits.length === 0) return [];
  const expected = await seat.expected([...new Set(debits.map(debitName))]);
  return unexpected(sight, since, new Set([...expected, ...isMine]));
}

/** Gas is no debit of its own where its command has moved coins of the account besides. */
function withoutGas(sight: ChainSight, account: string): ChainSight {
  const debitsIn = ({ debits, commands }: CheckedBlock): readonly TransferFact[] => {
    const moved = commands.flatMap(({ transfers }) => transfers.filter(({ from }) => from === account));
    const paying = new Set(moved.map(({ requestKey }) => requestKey));
    return debits.filter((debit) => !paying.has(debit.requestKey) || moved.includes(debit));
  };
  return { ...sight, blocks: sight.blocks.map((block) => ({ ...block, debits: debitsIn(block) })) };
}

/** A transfer of these books; `undefined` for every other command. */
function foundIn(
  { ledgerIds, account: payer }: PayerState,
  chainId: number,
  block: CheckedBlock,
  { cmd, requestKey, status, gasPaid }: FoundCommand,
): FoundPayment | undefined {
  const read = readTransfer(cmd);
  if (read.is === 'other' || status === 'unreadable') return undefined;
  const { transfer, attempt } = read;
  if (transfer.from.account !== payer || !ledgerIds.includes(attempt.ledgerId)) return undefined;
  const { to: account, amount, creationTimeS, ttlS, gasLimit, gasPrice } = transfer;
  return {
    ...{
      chainId,
      requestKey,
      cmd,
      status,
      gasPaid,
      account,
      amount,
      creationTimeS,
      ttlS,
      gasLimit,
      gasPrice,
    },
    ...{ paymentId: attempt.paymentId, attempt: attempt.attempt, parent: block.parent },
    place: { height: block.height, hash: block.hash },
  };
}

/** The clocks of books and chain differ by less: beyond this payouts pause. */
const CLOCKS_DIFFER_S = 60;

function believedTimeS({ blocks }: ChainSight, deepest: number): number | undefined {
  return blocks.findLast(({ height }) => height <= deepest)?.timeS;
}

/** Whatever was signed before these books were restored is over once a block at the depth is later than its time to live. */
function waitsUntilS(
  { pause }: PayerState,
  sight: ChainSight,
  deepest: number,
  ttlS: number,
): number | undefined {
  if (pause?.kind !== 'restored') return undefined;
  const untilS = Math.ceil(pause.sinceMs / 1000) + ttlS + CLOCKS_DIFFER_S;
  const believedS = believedTimeS(sight, deepest);
  return believedS !== undefined && believedS >= untilS ? undefined : untilS;
}
