/** What stands in the books of payments on chain, as the payer is told it. */
import type pg from 'pg';
import type { Bespoken, LiveTransaction, OpenPayment, PayerState } from '../../bridge/payouts/payer-books.js';
import { type Amount, parseAmount } from '../../core/money/amount.js';
import { LedgerError } from '../database/errors.js';
import { type RowOf, rowOf, rowsOf } from '../database/statements.js';
import { SQL } from './statements.js';

/** Of what the database writes. */
export function amountOf(text: string): Amount {
  const amount = parseAmount(text);
  if (amount === undefined)
    throw new LedgerError('refused', `the books hold ${text}, which is no amount of coins`);
  return amount;
}

export async function payerState(client: pg.Pool | pg.ClientBase): Promise<PayerState> {
  const state = await rowOf(client, SQL.state);
  if (!state) throw new LedgerError('refused', 'the books have lost their row of the payer');
  const chains = await rowsOf(client, SQL.chains);
  const ledgerIds = await rowsOf(client, SQL.ledgerIds);
  const order = await rowOf(client, SQL.reconcileOrder);
  const { ledgerId, account, network, batches, nowMs, ranAtMs, nextAtMs, whyNot, isAsked } = state;
  return {
    ledgerIds: ledgerIds.map(({ id }) => id),
    reconcile: order && { applies: order.applies, sinceHeight: order.sinceHeight ?? undefined },
    ...{ ledgerId, batches, nowMs, whyNot, isAsked, pause: pauseOf(state) },
    ...{ account: account ?? undefined, network: network ?? undefined },
    ...{ ranAtMs: ranAtMs ?? undefined, nextAtMs: nextAtMs ?? undefined },
    chains: chains.map(({ chainId, height, hash, balance, credits, debits, comparedHeight }) => ({
      ...{ chainId, comparedHeight },
      read: { height, hash },
      balance: amountOf(balance),
      credits: amountOf(credits),
      debits: amountOf(debits),
    })),
  };
}

/** Of columns that are null while nothing is paused. */
interface PauseColumns {
  readonly pauseKind: string | null;
  readonly pauseSays: string | null;
  readonly pauseBy: string | null;
  readonly pauseEvidence: Readonly<Record<string, unknown>> | null;
  readonly pausedAtMs: number | null;
}

export function pauseOf(state: PauseColumns): PayerState['pause'] {
  const { pauseKind: kind, pauseSays: says, pauseBy: by, pauseEvidence: evidence, pausedAtMs } = state;
  if (pausedAtMs === null) return undefined;
  return {
    kind: kind ?? 'unknown',
    says: says ?? '',
    by: by ?? '',
    evidence: evidence ?? {},
    sinceMs: pausedAtMs,
  };
}

export async function openPayments(client: pg.Pool, limit: number): Promise<OpenPayment[]> {
  const rows = await rowsOf(client, SQL.open, [limit]);
  return rows.map((row) => ({ ...row, amount: amountOf(row.amount) }));
}

export async function bespokenLines(client: pg.Pool): Promise<Bespoken[]> {
  return (await rowsOf(client, SQL.bespoken)).map((row) => ({ ...row, amount: amountOf(row.amount) }));
}

/** Transaction -> the text that is signed. It never changes: the database sees to that. */
type Commands = Map<string, string>;

/** Of one statement: more of them would be read, and made into what they are, in one piece. */
const PAGE = 250;

/** @param commands texts that were read before; those of what is followed no more are forgotten. */
export async function liveTransactions(client: pg.Pool, commands: Commands): Promise<LiveTransaction[]> {
  const live: LiveTransaction[] = [];
  for (let last = { chainId: -1, id: '0' }; ; ) {
    const rows = await rowsOf(client, SQL.live, [last.chainId, last.id, PAGE]);
    await readCommands(client, rows, commands);
    for (const row of rows) live.push(liveOf(row, textOf(row, commands)));
    const end = rows.at(-1);
    if (!end || rows.length < PAGE) break;
    last = end;
  }
  if (commands.size > live.length) {
    const ids = new Set(live.map(({ id }) => id));
    for (const id of commands.keys()) if (!ids.has(id)) commands.delete(id);
  }
  return live;
}

type LiveRow = RowOf<typeof SQL.live>;

async function readCommands(client: pg.Pool, rows: readonly LiveRow[], commands: Commands): Promise<void> {
  const unread = rows.flatMap(({ id }) => (commands.has(id) ? [] : [id]));
  if (unread.length === 0) return;
  for (const { id, cmd } of await rowsOf(client, SQL.commands, [unread])) commands.set(id, cmd);
}

function textOf({ id }: LiveRow, commands: Commands): string {
  const cmd = commands.get(id);
  if (cmd === undefined)
    throw new LedgerError('refused', `the books have lost the text of transaction ${id}`);
  return cmd;
}

/** Field by field: of thousands of rows a round, copies of all that is in one twice over are what takes the time. */
function liveOf(row: LiveRow, cmd: string): LiveTransaction {
  const { blockHeight, blockHash } = row;
  const isPlaced = blockHeight !== null && blockHash !== null;
  return {
    id: row.id,
    paymentId: row.paymentId,
    payout: row.payout,
    account: row.account,
    amount: amountOf(row.amount),
    attempt: row.attempt,
    chainId: row.chainId,
    cmd,
    requestKey: row.requestKey,
    creationTimeS: row.creationTimeS,
    ttlS: row.ttlS,
    gasLimit: row.gasLimit,
    gasPrice: amountOf(row.gasPrice),
    birth: { height: row.birthHeight, hash: row.birthHash },
    state: row.state,
    isRejected: row.isRejected,
    isOfFormer: row.isOfFormer,
    isAsked: row.isAsked,
    deadKeys: row.deadKeys,
    sigs: row.sigs ?? undefined,
    partial: row.partial ?? [],
    included: isPlaced ? { height: blockHeight, hash: blockHash } : undefined,
    sentAtMs: row.sentAtMs ?? undefined,
  };
}
