/**
 * Books and chain compared: what the chain has of these books that they do not know of is taken over, and what is not of these books
 * is listed. Restored books are whole again once no block can take anything any more that was signed before the restore.
 */
import type { FoundPayment, PayerState } from '../../bridge/payouts/payer-books.js';
import { formatAmount } from '../../core/money/amount.js';
import { readTransfer } from '../command/read.js';
import type { ChainSight, CheckedBlock, FoundCommand } from '../evidence/sight.js';
import type { Round } from './parts.js';

interface Foreign {
  readonly chainId: number;
  readonly height: number;
  readonly account: string;
  readonly amount: string;
  readonly requestKey: string | undefined;
}

interface OnChain {
  readonly chainId: number;
  readonly from: number;
  readonly to: number;
  readonly missing: readonly FoundPayment[];
  /** Found above the depth: to be looked at again. */
  readonly shallow: number;
  readonly foreign: readonly Foreign[];
  /** The chain's time that has to pass, in seconds; absent: it has. */
  readonly untilS: number | undefined;
}

/** Of what is listed. */
const SHOWN = 100;

/** Where somebody has asked for it. */
export async function reconcile(round: Round, state: PayerState, chainIds: readonly number[]): Promise<void> {
  const { reconcile: order } = state;
  if (!order) return;
  const found: OnChain[] = [];
  for (const chainId of chainIds) found.push(await compare(round, state, chainId, order.sinceHeight));
  const missing = found.flatMap((one) => one.missing);
  if (order.applies && missing.length > 0) await round.seat.takeOver(missing);
  const waits = found.flatMap(({ chainId, untilS }) => (untilS === undefined ? [] : [{ chainId, untilS }]));
  const shallow = found.reduce((sum, one) => sum + one.shallow, 0);
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
    waits,
    isDone: (order.applies || missing.length === 0) && shallow === 0 && waits.length === 0,
  });
}

function shownOf({ chainId, requestKey, account, amount, status, place }: FoundPayment) {
  return { chainId, requestKey, account, amount: formatAmount(amount), status, height: place.height };
}

async function compare(
  round: Round,
  state: PayerState,
  chainId: number,
  sinceHeight: number | undefined,
): Promise<OnChain> {
  const { eyes, seat, signal, terms } = round;
  const agreed = state.chains.find((chain) => chain.chainId === chainId)?.comparedHeight ?? 0;
  const sight = await eyes.look(chainId, sinceHeight ?? agreed, signal);
  const ours = sight.blocks.flatMap(({ commands }) => commands.map(({ requestKey }) => requestKey));
  const debits = sight.blocks.flatMap((block) => block.debits.map((debit) => ({ block, debit })));
  const keys = [...ours, ...debits.flatMap(({ debit }) => debit.requestKey ?? [])];
  const known = keys.length > 0 ? await seat.known([...new Set(keys)]) : new Set<string>();
  const deepest = (sight.head?.height ?? 0) - terms.depth;
  const unknown = sight.blocks.flatMap((block) =>
    block.commands.flatMap((command) => {
      if (known.has(command.requestKey)) return [];
      return foundIn(state, chainId, block, command) ?? [];
    }),
  );
  const isMine = new Set(unknown.map(({ requestKey }) => requestKey));
  return {
    chainId,
    from: sight.blocks[0]?.height ?? 0,
    to: sight.head?.height ?? 0,
    missing: unknown.filter(({ place }) => place.height <= deepest),
    shallow: unknown.filter(({ place }) => place.height > deepest).length,
    foreign: debits
      .filter(
        ({ debit: { requestKey } }) =>
          requestKey === undefined || !(known.has(requestKey) || isMine.has(requestKey)),
      )
      .map(({ block: { height }, debit: { to: account, amount, requestKey } }) => ({
        ...{ chainId, height, account, requestKey },
        amount: formatAmount(amount),
      })),
    untilS: waitsUntilS(state, sight, deepest, terms.ttlS),
  };
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

/** Whatever was signed before these books were restored is over once a block at the depth is later than its time to live. */
function waitsUntilS(
  { pause }: PayerState,
  { blocks }: ChainSight,
  deepest: number,
  ttlS: number,
): number | undefined {
  if (pause?.kind !== 'restored') return undefined;
  const untilS = Math.ceil(pause.sinceMs / 1000) + ttlS;
  const believed = blocks.findLast(({ height }) => height <= deepest);
  return believed !== undefined && believed.timeS >= untilS ? undefined : untilS;
}
