/** Orders about payouts, as `src/operations` declares them. The books tell each, with who gave it. */
import type pg from 'pg';
import { BooksAwayError } from '../../bridge/watch/books-watch.js';
import { formatAmount } from '../../core/money/amount.js';
import { readBeneficiaries } from '../../core/money/beneficiaries.js';
import type { BLOCK_ORDERS, CHAIN_ORDERS } from '../../operations/books/chains.js';
import type { Payout } from '../../operations/books/payouts.js';
import type { Handlers, Refused } from '../../operations/entry/operation.js';
import type { BookOrderHandlers, LedgerOrderHandlers } from '../../operations/orders/book-orders.js';
import type { PAYER_ORDERS } from '../../operations/payer/payer.js';
import { setAccountTerms, type TermsChange, takeWish } from '../accounts/accounts.js';
import { type AccountWish, readWish } from '../accounts/wish.js';
import { SQL as ROOTS } from '../audit/roots.js';
import { claimBlock, disownBlock } from '../blocks/claims.js';
import { revertSettled } from '../blocks/settle-passed.js';
import { skipPayloads, undoBlocks } from '../chains/orders.js';
import { LedgerError, outageOf } from '../database/errors.js';
import { askOf, rowOf } from '../database/statements.js';
import {
  allowAccounts,
  approvePayout,
  askForPayout,
  holdAccount,
  pausePayments,
  rebindPayer,
  rejectPayout,
  resumePayments,
  settleLine,
} from '../payer/orders.js';
import { forgetTransactions, revertTransactions } from '../payer/transactions.js';
import { correctBalance, enterPayment } from '../payments/by-hand.js';
import { markPayout } from '../payments/mark.js';
import { findPayout, noPayout } from '../payments/payouts.js';
import { preparePayout } from '../payments/prepare.js';
import { endLog } from '../recording/logs.js';
import { rulesAt, rulesNow } from '../rules/rules.js';
import { payoutOf } from './blocks.js';

export function ledgerOrders(pool: pg.Pool): LedgerOrderHandlers {
  return {
    markPayout: ({ id, outcome, line, requestKey, note }, by) =>
      ofPayout(pool, id, async () => {
        await markPayout(pool, id, { outcome, accounts: line, requestKey, note, by });
        return { payout: await shownPayout(pool, id) };
      }),
    enterPayment: ({ account, amount, chain: chainId, requestKey, note }, by) =>
      answered(async () => {
        const payment = { account, amount, chainId, requestKey, note, by };
        return { account, ...(await enterPayment(pool, payment)) };
      }),
    correctBalance: ({ account, amount, note }, by) =>
      answered(async () => ({ account, due: await correctBalance(pool, { account, amount, note, by }) })),
    setTerms: ({ account, fee, minimum, chain, beneficiaries: named, note }, by) =>
      answered(async () => {
        const beneficiaries =
          named === undefined ? undefined : readBeneficiaries(named === 'none' ? '' : named, account);
        if (typeof beneficiaries === 'string') return { refused: 'unfit', why: beneficiaries };
        const terms = { fee, minimumPayout: minimum, wishedChain: chain };
        const change: TermsChange = { ...terms, beneficiaries, note };
        return { terms: await setAccountTerms(pool, account, change, by) };
      }),
    endLog: ({ id, note }, by) => answered(async () => ({ log: await endLog(pool, id, { by, note }) })),
    ...chainOrders(pool),
    ...payerOrders(pool),
  };
}

const DONE = { done: true } as const;

function payerOrders(pool: pg.Pool): Handlers<typeof PAYER_ORDERS> {
  return {
    approvePayout: ({ id, hash }, by) =>
      answered(async () => ({ missing: await approvePayout(pool, id, { hash, by: personOf(by) }) })),
    rejectPayout: ({ id, note }, by) =>
      answered(async () => ({ lines: await rejectPayout(pool, id, { note, by }) })),
    pausePayments: ({ note }, by) =>
      answered(async () => {
        await pausePayments(pool, { note, by });
        return DONE;
      }),
    resumePayments: ({ note }, by) =>
      answered(async () => ({ ended: await resumePayments(pool, { note, by }) })),
    holdAccount: ({ account, note }, by) =>
      answered(async () => {
        await holdAccount(pool, account, { note, by });
        return { account };
      }),
    allowAccounts: ({ account, all, note }, by) =>
      answered(async () => {
        if ((account === undefined) !== all)
          return { refused: 'unfit', why: 'name an account, or say --all' };
        return { allowed: await allowAccounts(pool, account, { note, by }) };
      }),
    rebindPayer: ({ to, note }, by) =>
      answered(async () => {
        await rebindPayer(pool, to, { note, by });
        return DONE;
      }),
    settleLine: ({ line, paid, note }, by) =>
      answered(async () => {
        await settleLine(pool, line, { requestKey: paid, note, by });
        return DONE;
      }),
    askForPayout: () =>
      answered(async () => {
        await askForPayout(pool);
        return DONE;
      }),
  };
}

/** Who comes by the control socket, has the ledger itself, or reads the data directory, could call himself anything. */
function personOf(by: string): string {
  return /^ctl( |$)| at |^admin (link|token)$/.test(by) ? 'the operator of this machine' : by;
}

function chainOrders(pool: pg.Pool): Handlers<typeof CHAIN_ORDERS & typeof BLOCK_ORDERS> {
  const rules = (at?: Date) => (at ? rulesAt(pool, at) : rulesNow(pool));
  return {
    undoBlocks: ({ chain, to, note }, by) =>
      answered(async () => {
        const order = { chainId: chain, to, note, by };
        return {
          chain,
          undone: await undoBlocks(
            pool,
            order,
            [{ revert: revertSettled }, { revert: revertTransactions, forget: forgetTransactions }],
            rules,
          ),
        };
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
  /** Those of the network, as nodes say; none while no node can be asked. */
  readonly chains: () => readonly number[];
}

/** With what takes a bridge. */
export function bookOrders({ pool, chains }: BookOrderOptions): BookOrderHandlers {
  return {
    ...ledgerOrders(pool),
    preparePayout: (_, by) =>
      answered(async () => {
        const { minimum } = await rulesNow(pool);
        const payout = await preparePayout(pool, { minimum, by });
        return { payout: payout ? await shownPayout(pool, payout.id) : null };
      }),
    wish: ({ account, wish: text, signature }) =>
      answered(async () => {
        const wish = readWish(account, text, signature);
        if ('refused' in wish) return wish;
        const elsewhere = await whyElsewhere(pool, wish);
        if (elsewhere) return elsewhere;
        // Gas is the operator's: no account wishes to be paid more often than everybody is.
        const { minimum } = await rulesNow(pool);
        if (wish.minimum !== undefined && wish.minimum < minimum)
          return { refused: 'unfit', why: `nobody is paid below ${formatAmount(minimum)}` };
        const unknown = whyNoChain(wish.chainId, chains());
        if (unknown) return unknown;
        if (await takeWish(pool, wish)) return { wished: true };
        return busy('this wish is not later than the last one of the account, by a minute');
      }),
  };
}

/** Who else has a wish of the account cannot play it here. */
async function whyElsewhere(pool: pg.Pool, wish: AccountWish): Promise<Refused | undefined> {
  const root = await rowOf(pool, ROOTS.poolKey, [wish.pool]);
  if (!root) return busy('this pool has signed no root yet: it does ten minutes after its first share');
  if (root.isOurs) return undefined;
  return { refused: 'unfit', why: `the wish is for another pool: the key of this one is ${root.key}` };
}

function busy(why: string): Refused {
  return { refused: 'busy', why };
}

/** `character_not_in_repertoire` */
const NO_TEXT = '22021';

/** What the books refuse is an outcome; all else is told as what it is. */
export async function answered<T>(act: () => Promise<T | Refused>): Promise<T | Refused> {
  try {
    return await act();
  } catch (error) {
    if ((error as { code?: unknown }).code === NO_TEXT)
      return { refused: 'unfit', why: 'a text may hold no NUL' };
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

/** Nobody can be paid on a chain that is none. */
function whyNoChain(chainId: number | undefined, chains: readonly number[]): Refused | undefined {
  if (chainId === undefined || chains.includes(chainId)) return undefined;
  if (chains.length === 0) return busy('no node says now which chains there are: ask again later');
  return {
    refused: 'unfit',
    why: `the network has no chain ${chainId}: its chains are ${Math.min(...chains)} to ${Math.max(...chains)}`,
  };
}
