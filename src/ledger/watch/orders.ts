/** Orders about payouts, as `src/operations` declares them. The books tell each, with who gave it. */
import type pg from 'pg';
import { BooksAwayError } from '../../bridge/watch/books-watch.js';
import { MOST_HOLDS, showHold, showPayer } from '../../bridge/watch/payer-view.js';
import { type Amount, formatAmount } from '../../core/money/amount.js';
import type { BLOCK_ORDERS, CHAIN_ORDERS } from '../../operations/chains.js';
import type { Handlers, Refused } from '../../operations/entry/operation.js';
import type { BookOrderHandlers, LedgerOrderHandlers } from '../../operations/orders/book-orders.js';
import type { Hold, Payer, Payout } from '../../operations/payouts.js';
import { setAccountTerms, type TermsChange } from '../accounts/accounts.js';
import { isSignedByOwner } from '../accounts/owner-signature.js';
import { readWish } from '../accounts/wish.js';
import { claimBlock, disownBlock } from '../blocks/claims.js';
import { revertSettled } from '../blocks/settle-passed.js';
import { skipPayloads, undoBlocks } from '../chains/orders.js';
import { LedgerError, outageOf } from '../database/errors.js';
import { askOf } from '../database/statements.js';
import { markPayout } from '../payments/mark.js';
import { findPayout, noPayout } from '../payments/payouts.js';
import { preparePayout } from '../payments/prepare.js';
import { failedBeforeResume } from '../proof/verify.js';
import type { CheckCommand } from '../proof/verify-payments.js';
import { endProducer } from '../recording/producers.js';
import { rulesAt, rulesNow } from '../rules/rules.js';
import { debitWords } from '../transactions/accepted-debits.js';
import {
  allowByOrder,
  approveBatch,
  holdByOrder,
  isReconciled,
  listHolds,
  pauseByOrder,
  rejectBatch,
  resumePayer,
  takeWish,
} from '../transactions/orders.js';
import { askForBatch, payerReport } from '../transactions/view.js';
import { payoutOf } from './blocks.js';

/** @param check compares texts that are signed with their lines. */
export function ledgerOrders(pool: pg.Pool, check: CheckCommand): LedgerOrderHandlers {
  return {
    markPayout: ({ id, outcome, line, requestKey, note }, by) =>
      ofPayout(pool, id, async () => {
        await markPayout(pool, id, { outcome, accounts: line, requestKey, note, by });
        return { payout: await shownPayout(pool, id) };
      }),
    approvePayout: ({ id, hash }, by) =>
      ofPayout(pool, id, async () => {
        const missing = await approveBatch(pool, id, hash, by);
        return { payout: await shownPayout(pool, id), missing };
      }),
    rejectPayout: ({ id, note }, by) =>
      ofPayout(pool, id, async () => {
        const { followed } = await rejectBatch(pool, id, note, by);
        return { payout: await shownPayout(pool, id), followed };
      }),
    pausePayer: ({ note }, by) =>
      answered(async () => {
        await pauseByOrder(pool, note, by);
        return shownPayer(pool);
      }),
    resumePayer: ({ note, anyway }, by) => answered(() => resume(pool, check, { note, anyway, by })),
    holdAccount: ({ account, chain, note, until }, by) =>
      answered(async () => {
        const order = { account, chainId: chain, note, by };
        await holdByOrder(pool, order, until === undefined ? undefined : new Date(until));
        return { account, holds: await holdsOf(pool, account) };
      }),
    allowAccount: ({ account, chain, note }, by) =>
      answered(async () => {
        const isHeld = await allowByOrder(pool, { account, chainId: chain, note, by });
        const where = chain === undefined ? '' : ` on chain ${chain}`;
        if (!isHeld)
          return busy(`account ${account} is not held${where}: \`ledger payout status\` lists who is`);
        return { account, holds: await holdsOf(pool, account) };
      }),
    setTerms: ({ account, fee, minimum, chain, note }, by) =>
      answered(async () => {
        const change: TermsChange = { fee, minimumPayout: minimum, wishedChain: chain, note };
        return { terms: await setAccountTerms(pool, account, change, by) };
      }),
    endBridge: ({ id }, by) => answered(async () => ({ bridge: await endProducer(pool, id, by) })),
    ...chainOrders(pool),
  };
}

function chainOrders(pool: pg.Pool): Handlers<typeof CHAIN_ORDERS & typeof BLOCK_ORDERS> {
  const rules = (at?: Date) => (at ? rulesAt(pool, at) : rulesNow(pool));
  return {
    undoBlocks: ({ chain, to, note }, by) =>
      answered(async () => {
        const order = { chainId: chain, to, note, by };
        return { chain, undone: await undoBlocks(pool, order, [{ revert: revertSettled }], rules) };
      }),
    skipPayloads: ({ chain, to, note }, by) =>
      answered(async () => {
        await skipPayloads(pool, { chainId: chain, to, note, by });
        return { chain, to };
      }),
    claimBlock: ({ id, account, note }, by) =>
      answered(async () => {
        await claimBlock(pool, { id, note, by }, account, rules);
        return { id };
      }),
    disownBlock: ({ id, note }, by) =>
      answered(async () => {
        await disownBlock(pool, { id, note, by });
        return { id };
      }),
  };
}

interface BookOrderOptions {
  readonly pool: pg.Pool;
  readonly check: CheckCommand;
  /** Of everybody: no account wishes to be paid more often than by it, as gas is the operator's. */
  readonly minimum: Amount;
  /** A bridge pays on chain, and makes the payouts. */
  readonly isOnChain: boolean;
  /** Those of the network, as nodes say; none while no node can be asked. */
  readonly chains: () => readonly number[];
}

/** With what takes a bridge. */
export function bookOrders({ pool, check, minimum, isOnChain, chains }: BookOrderOptions): BookOrderHandlers {
  return {
    ...ledgerOrders(pool, check),
    preparePayout: (_, by) =>
      answered(async () => {
        if (isOnChain) {
          await askForBatch(pool, by);
          return { payout: null, isAsked: true };
        }
        const payout = await preparePayout(pool, { minimum, by });
        return { payout: payout ? await shownPayout(pool, payout.id) : null, isAsked: false };
      }),
    wish: ({ account, wish: text, signature }) =>
      answered(async () => {
        const isSigned = isSignedByOwner(account, text, signature);
        if (isSigned === undefined)
          return { refused: 'forbidden', why: 'only an account of k: and its public key can sign' };
        if (!isSigned) return { refused: 'forbidden', why: `the signature is none of the key of ${account}` };
        const wish = readWish(text, account);
        if (typeof wish === 'string') return { refused: 'unfit', why: wish };
        if (wish.minimum !== undefined && wish.minimum < minimum)
          return { refused: 'unfit', why: `nobody is paid below ${formatAmount(minimum)}` };
        const unknown = whyNoChain(wish.chainId, chains());
        if (unknown) return unknown;
        if (await takeWish(pool, wish)) return { wished: true };
        return busy('this wish is not later than the last one of the account, by a minute');
      }),
  };
}

function busy(why: string): Refused {
  return { refused: 'busy', why };
}

/** What the books refuse is an outcome; all else is told as what it is. */
export async function answered<T>(act: () => Promise<T | Refused>): Promise<T | Refused> {
  try {
    return await act();
  } catch (error) {
    const told = outageOf(error);
    if (!(told instanceof LedgerError)) throw told;
    if (told.code !== 'away' && told.code !== 'slow') return busy(told.message);
    throw new BooksAwayError('the ledger does not answer now: ask again in a moment', { cause: error });
  }
}

/** One that is refused is shown as it stands now. */
function ofPayout<T extends object>(pool: pg.Pool, id: string, act: () => Promise<T>): Promise<T | Refused> {
  return answered(async () => {
    if (!(await findPayout(pool, id))) return { refused: 'unknown', why: `there is no payout ${id}` };
    const told = await answered(act);
    return 'refused' in told ? { ...told, now: { payout: await shownPayout(pool, id) } } : told;
  });
}

/** As who looks sees it. */
export async function shownPayout(pool: pg.Pool, id: string): Promise<Payout> {
  const payout = await payoutOf(askOf(pool), id, { offset: 0, limit: 0 });
  if (!payout) throw noPayout(id);
  return payout;
}

async function shownPayer(pool: pg.Pool): Promise<Payer> {
  return showPayer(await payerReport(askOf(pool)), await listHolds(pool, MOST_HOLDS));
}

/** Of whom there is no limit in the books. */
const ALL_HOLDS = 1_000_000;

async function holdsOf(pool: pg.Pool, account: string): Promise<Hold[]> {
  return (await listHolds(pool, ALL_HOLDS)).filter((hold) => hold.account === account).map(showHold);
}

interface ResumeOrder {
  readonly note: string;
  readonly anyway: boolean;
  readonly by: string;
}

async function resume(pool: pg.Pool, check: CheckCommand, { note, anyway, by }: ResumeOrder) {
  const { pause } = await payerReport(askOf(pool));
  if (!pause) return { payer: await shownPayer(pool), former: null, accepted: [], failing: [] };
  const isRestored = pause.kind === 'restored' && !(await isReconciled(pool));
  if (isRestored && !anyway) return { ...busy(NOT_COMPARED), now: { payer: await shownPayer(pool) } };
  const failed = await failedBeforeResume(pool, pause.kind, check);
  const failing = failed.map(({ name, broken }) => `${name}: ${broken[0] ?? ''}`);
  if (failing.length > 0 && !anyway) {
    const why = `checks of the books fail (${failing.join('; ')}): \`stratum-bridge ledger verify\` shows all; mend them, or go on anyway`;
    return { ...busy(why), now: { payer: await shownPayer(pool) } };
  }
  const { accepted = [] } = (await resumePayer(pool, note, by, pause)) ?? {};
  return { payer: await shownPayer(pool), former: pause.says, accepted: accepted.map(debitWords), failing };
}

const NOT_COMPARED =
  'these books were restored, and may not know of payments that were made since: `stratum-bridge ledger payout reconcile` reads them from the chain; or go on anyway';

/** Nobody can be paid on a chain that is none. */
function whyNoChain(chainId: number | undefined, chains: readonly number[]): Refused | undefined {
  if (chainId === undefined || chains.includes(chainId)) return undefined;
  if (chains.length === 0) return busy('no node says now which chains there are: ask again later');
  return {
    refused: 'unfit',
    why: `the network has no chain ${chainId}: its chains are ${Math.min(...chains)} to ${Math.max(...chains)}`,
  };
}
