/** The books for the payer: its seat, which one bridge has, and the fence that everything it writes is checked by. */
import type pg from 'pg';
import {
  type NewBatch,
  type PayerBooks,
  type PayerSeat,
  SeatLostError,
  type SeenChain,
} from '../../bridge/payouts/payer-books.js';
import { formatAmount } from '../../core/money/amount.js';
import { LedgerError } from '../database/errors.js';
import { askOf, rowOf, rowsOf, run } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { paymentFaults } from '../proof/verify-payments.js';
import { tellInBooks } from '../timeline.js';
import { dueOnChain, prepareBatch } from './batches.js';
import type { GasPayer } from './findings/consequences.js';
import { moveByFindings } from './findings/findings.js';
import { holdLines } from './hold-lines.js';
import { amountOf, bespokenLines, liveTransactions, openPayments, payerState } from './reads.js';
import { PAYER_LOCK } from './seat-lock.js';
import { SQL } from './statements.js';
import { bury, takeOver } from './take-over.js';
import { buildTransactions, keepPartial, keepSignatures, writeAsking, writeSending } from './writes.js';

/** In place of who orders. */
const NOBODY = 'the payer';

interface PayerBooksOptions {
  readonly pool: pg.Pool;
  /** Whose coins gas is. */
  readonly gasPaidBy: GasPayer;
}

/** What breaks a seat is found by the next statement on it. */
const foundLater = (): void => {};

export function payerBooks(options: PayerBooksOptions): PayerBooks {
  const { pool } = options;
  return {
    takeSeat: async (place) => {
      const seat = await pool.connect();
      seat.on('error', foundLater);
      try {
        if ((await rowOf(seat, SQL.lead, [PAYER_LOCK]))?.leads === true) {
          const fence = (await rowOf(pool, SQL.raiseFence, [place]))?.fence ?? '';
          return seatOf(options, seat, fence);
        }
        seat.off('error', foundLater);
        seat.release();
        return undefined;
      } catch (error) {
        seat.release(true);
        throw error;
      }
    },
  };
}

function seatOf({ pool, gasPaidBy }: PayerBooksOptions, seat: pg.PoolClient, fence: string): PayerSeat {
  const leave = once(() => leaveSeat(seat));
  const commands = new Map<string, string>();
  /** In a transaction that ends before the next payer begins, or not at all. */
  const write = <T>(action: (client: pg.ClientBase) => Promise<T>): Promise<T> =>
    inTransaction(pool, async (client) => {
      await refuseOthers(client, fence);
      return action(client);
    });
  /** The same for what is new: nothing of it is written once somebody has paused, whenever the round has begun. */
  const begin = <T>(action: (client: pg.ClientBase) => Promise<T>): Promise<T> =>
    inTransaction(pool, async (client) => {
      if (await refuseOthers(client, fence)) throw new LedgerError('refused', 'payouts are paused');
      return action(client);
    });
  return {
    state: async () => {
      await stillThere(seat);
      return payerState(pool);
    },
    bind: (account, network, signsElsewhere = false) =>
      write((client) => bind(client, account, network, signsElsewhere)),
    due: (minimum, limit) => dueOnChain(pool, minimum, limit),
    spent: async () => {
      const { lastDay = '0', formerBatches = [] } = (await rowOf(pool, SQL.spent)) ?? {};
      return { lastDay: amountOf(lastDay), formerBatches: formerBatches.map(amountOf) };
    },
    prepare: (batch: NewBatch) => prepareBatch(begin, batch),
    open: (limit) => openPayments(pool, limit),
    bespoken: () => bespokenLines(pool),
    live: () => liveTransactions(pool, commands),
    build: (transactions) => begin((client) => buildTransactions(client, transactions)),
    asking: (ids) => begin((client) => writeAsking(client, ids)),
    keepSignatures: (signed) => write((client) => keepSignatures(client, signed)),
    keepPartial: (signed) => write((client) => keepPartial(client, signed)),
    sending: (ids) => begin((client) => writeSending(client, ids)),
    found: (findings) => write((client) => moveByFindings(client, findings, gasPaidBy)),
    hold: (lines) => write((client) => holdLines(client, lines)),
    faults: () => paymentFaults(askOf(pool)),
    pause: ({ kind, says, evidence }) =>
      write((client) => pausePayer(client, { kind, says, evidence, by: NOBODY })),
    sawChains: (chains) => write((client) => writeChains(client, chains)),
    ran: ({ isRun, nextAtMs, whyNot }) =>
      write(async (client) => void (await run(client, SQL.ran, [isRun, nextAtMs ?? null, whyNot]))),
    born: () => rowsOf(pool, SQL.born),
    takeOver: (found) => write((client) => takeOver(client, found, gasPaidBy)),
    bury: (dead) => write((client) => bury(client, dead)),
    reconciled: (outcome) =>
      write(async (client) => void (await run(client, SQL.reconciled, [JSON.stringify(outcome)]))),
    known: async (keys) =>
      new Set((await rowsOf(pool, SQL.known, [keys])).map(({ requestKey }) => requestKey)),
    expected: async (names) => new Set((await rowsOf(pool, SQL.expected, [names])).map(({ name }) => name)),
    close: () => leave(),
  };
}

/** Whether payouts are paused; neither this nor who pays changes until the transaction ends. */
async function refuseOthers(client: pg.ClientBase, fence: string): Promise<boolean> {
  const seat = await rowOf(client, SQL.hasFence, [fence]);
  if (seat?.has !== true) throw new SeatLostError('another bridge pays now');
  return seat.isPaused;
}

function once<T>(action: () => T): () => T {
  let done: { readonly result: T } | undefined;
  return () => {
    done ??= { result: action() };
    return done.result;
  };
}

async function leaveSeat(seat: pg.PoolClient): Promise<void> {
  seat.off('error', foundLater);
  try {
    await run(seat, SQL.leave, [PAYER_LOCK]);
    seat.release();
  } catch {
    // It is broken, and the lock gone with it.
    seat.release(true);
  }
}

async function stillThere(seat: pg.PoolClient): Promise<void> {
  try {
    await seat.query('SELECT');
  } catch (cause) {
    throw new SeatLostError("the payer's connection to the books has broken", { cause });
  }
}

async function bind(
  client: pg.ClientBase,
  account: string,
  network: string,
  signsElsewhere: boolean,
): Promise<void> {
  if ((await run(client, SQL.bind, [account, network, signsElsewhere])) === 1) return;
  const { account: bound, network: where } = (await rowOf(client, SQL.state)) ?? {};
  const words = `these books are paid from ${bound} on ${where}, and not from ${account} on ${network}: set payouts.key and node.urls as they were`;
  throw new LedgerError('refused', words);
}

interface PauseSaid {
  readonly kind: string;
  readonly says: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly by: string;
}

/** Within the caller's transaction. Resolves with whether it was not known before. */
export async function pausePayer(
  client: pg.ClientBase,
  { kind, says, evidence, by }: PauseSaid,
): Promise<boolean> {
  const reason = [kind, says, by, JSON.stringify(evidence)] as const;
  const isFirst = (await run(client, SQL.pause, reason)) > 0;
  if (!isFirst && (await run(client, SQL.pauseBesides, [...reason, EACH.has(kind), MOST_BESIDES])) === 0)
    return false;
  const facts = { pause: kind, why: says, ...(isFirst ? {} : { besides: true }) };
  await tellInBooks(client, 'payoutsPaused', facts, by === NOBODY ? undefined : by);
  return true;
}

/** Kinds of which each one is a reason of its own. Others say the same thing in other words with every round. */
const EACH: ReadonlySet<string> = new Set(['operator', 'foreign-debit', 'event-differs', 'left-deep']);
/** Reasons beside the first. */
const MOST_BESIDES = 20;

async function writeChains(client: pg.ClientBase, chains: readonly SeenChain[]): Promise<void> {
  const read = chains.flatMap(({ read, head, trouble, missing = 0n, doubt = '' }) =>
    read === undefined
      ? []
      : [
          {
            chainId: read.chainId,
            ...read.read,
            balance: formatAmount(read.balance),
            credits: formatAmount(read.credits),
            debits: formatAmount(read.debits),
            headHeight: head?.height ?? null,
            headTimeS: head?.timeS ?? null,
            ...{ trouble, doubt },
            missing: formatAmount(missing),
          },
        ],
  );
  if (read.length > 0) await run(client, SQL.sawChains, [JSON.stringify(read)]);
  for (const { chainId, head, trouble, read } of chains)
    if (read === undefined)
      await run(client, SQL.sawTrouble, [chainId, head?.height ?? null, head?.timeS ?? null, trouble]);
}
