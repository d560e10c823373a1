/**
 * Who worked in which slots: all that settlement reads of shares. Slots are told by when they begin; both ends are part of what is asked
 * for. A slot that is closed stays as it is. Whole minutes are read by account, and single slots only at the ends: a pool has many
 * times as many rigs.
 *
 * A window of shares goes back from its last slot by pieces: the slots of a minute that is not over, then minutes, and where those are
 * summed up already, ten minutes, hours or days.
 */
import type pg from 'pg';
import type { Totals } from '../../core/audit/sum-tree.js';
import { lastWork, type Weight } from '../../core/money/rewards.js';
import { type RowOf, rowOf, statementsOf } from '../database/statements.js';
import { bulkRows } from '../database/transaction.js';

export const SQL = statementsOf('settlement/weights.sql');

export const SLOT_MS = 10_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Work by account; an account is told by its number, in decimal digits. */
export async function workBetween(client: pg.ClientBase, from: Date, to: Date): Promise<Weight[]> {
  const rows = await totalsBetween(client, from, new Date(to.getTime() + SLOT_MS));
  return rows.map(({ account, work }) => ({ account: String(account), work }));
}

/** By account, with shares, and before `end`. */
export async function totalsBetween(
  client: pg.ClientBase,
  from: Date,
  end: Date,
): Promise<({ readonly account: number } & Totals)[]> {
  const rows = await bulkRows(client, SQL.work, boundsOf(from, end));
  return rows.map(({ account, work, shares }) => ({
    account: account ?? 0,
    work: BigInt(work),
    shares: BigInt(shares),
  }));
}

/** Slots from the first to the second and from the third to the last, and between these whole minutes. */
function boundsOf(from: Date, end: Date): [Date, Date, Date, Date] {
  const first = Math.min(end.getTime(), Math.ceil(from.getTime() / MINUTE_MS) * MINUTE_MS);
  const last = Math.max(first, minuteOf(end.getTime()));
  return [from, new Date(first), new Date(last), end];
}

function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
}

/** The slots of a minute that is not over: read once for all that goes back from the last of them. */
export interface Tail {
  /** When that minute begins: what was before is read by the minute. */
  readonly minute: Date;
  /** The last slot. */
  readonly to: Date;
  readonly weights: readonly Weight[];
}

/** Up to and with the slot `to`. */
export async function tailOf(client: pg.ClientBase, to: Date): Promise<Tail> {
  const minute = new Date(minuteOf(to.getTime() + SLOT_MS));
  return { minute, to, weights: await workBetween(client, minute, to) };
}

/** Each account once. */
export function summed(weights: readonly Weight[]): Weight[] {
  const sums = new Map<string, bigint>();
  for (const { account, work } of weights) sums.set(account, (sums.get(account) ?? 0n) + work);
  return Array.from(sums, ([account, work]) => ({ account, work }));
}

/** Work by account, from a slot on up to the end of the tail; an account may come more than once. */
export async function workFrom(client: pg.ClientBase, from: Date, tail: Tail): Promise<Weight[]> {
  if (from > tail.minute) return workBetween(client, from, tail.to);
  return [...(await workBetween(client, from, new Date(tail.minute.getTime() - SLOT_MS))), ...tail.weights];
}

/** The same, of all accounts together. */
export async function allWorkFrom(client: pg.ClientBase, from: Date, tail: Tail): Promise<bigint> {
  if (from > tail.minute) return sumOf(await workBetween(client, from, tail.to));
  const [begins, minutes, ends] = boundsOf(from, tail.minute);
  const [all] = await bulkRows(client, SQL.allWork, [begins, minutes, ends]);
  return BigInt(all?.work ?? 0) + sumOf(tail.weights);
}

function sumOf(weights: readonly Weight[]): bigint {
  return weights.reduce((sum, { work }) => sum + work, 0n);
}

/** Of so long a time up to the end of the tail: of all pieces that lie in it, also in part. */
export async function workOfTime(client: pg.ClientBase, tail: Tail, ms: number): Promise<Window> {
  const minute = new Date(minuteOf(tail.to.getTime() + SLOT_MS - ms));
  const piece = await rowOf(client, SQL.pieceOf, [minute]);
  const wholeFrom = piece?.starts_at ?? minute;
  return { weights: summed(await workFrom(client, wholeFrom, tail)), wholeFrom };
}

/** The last `work` up to the end of the tail. Of the piece in which it ends each account counts with the same fraction. */
export async function lastWorkBefore(client: pg.ClientBase, tail: Tail, work: bigint): Promise<Window> {
  const left = work - sumOf(tail.weights);
  const edge = left > 0n ? await edgeOf(client, tail.minute, left) : await edgeOfSlots(client, tail, work);
  if (!edge) return { weights: summed(await workFrom(client, new Date(0), tail)), work };
  const wholeFrom = new Date(edge.starts_at.getTime() + edge.seconds * 1000);
  const whole = wholeFrom > tail.to ? [] : await workFrom(client, wholeFrom, tail);
  const oldest = await workBetween(client, edge.starts_at, new Date(wholeFrom.getTime() - SLOT_MS));
  const weights = summed(lastWork([{ weights: whole }, { weights: oldest }], work));
  return { weights, work, wholeFrom, edgeFrom: edge.starts_at };
}

/** Who worked in a window of shares, and from when on it goes up to the end of the tail. */
export interface Window {
  readonly weights: readonly Weight[];
  /** Of the window; absent where it is one of time. */
  readonly work?: bigint;
  /** All that was accepted from then on counts; absent: from when the books began. */
  readonly wholeFrom?: Date;
  /** Of what was accepted from then on and before that, a fraction counts. */
  readonly edgeFrom?: Date;
}

/** The slot in which so much work ends. */
async function edgeOfSlots(client: pg.ClientBase, { minute, to }: Tail, work: bigint): Promise<Edge> {
  let left = work;
  for (let ms = to.getTime(); ms > minute.getTime(); ms -= SLOT_MS) {
    left -= sumOf(await workBetween(client, new Date(ms), new Date(ms)));
    if (left <= 0n) return { starts_at: new Date(ms), seconds: SLOT_MS / 1000 };
  }
  return { starts_at: minute, seconds: SLOT_MS / 1000 };
}

type Edge = Pick<Piece, 'starts_at' | 'seconds'>;
type Piece = RowOf<typeof SQL.pieces>;

/** The piece before `to` in which so much work ends; `undefined` when all there is does not fill it. */
async function edgeOf(client: pg.ClientBase, to: Date, work: bigint): Promise<Piece | undefined> {
  const oldest = await firstWorkFrom(client, new Date(0));
  let [left, until] = [work, to.getTime()];
  for (let spanMs = HOUR_MS; oldest && until > oldest.getTime(); spanMs *= 2) {
    const from = until - spanMs;
    for (const piece of await bulkRows(client, SQL.pieces, [new Date(from), new Date(until)])) {
      if (BigInt(piece.work) >= left) return piece;
      left -= BigInt(piece.work);
    }
    until = from;
  }
  return undefined;
}

/** When the first share from then on was accepted, to the minute. */
export async function firstWorkFrom(client: pg.ClientBase | pg.Pool, from: Date): Promise<Date | undefined> {
  return (await rowOf(client, SQL.firstFrom, [from]))?.starts_at;
}

interface Expectation {
  readonly account: string;
  /** Blocks, in units of 10^-18. */
  readonly expected: bigint;
}

/** What was expected of each account's work from then on and before the other time, both of whole minutes. Nobody's is left out. */
export async function expectedIn(client: pg.ClientBase, from: Date, before: Date): Promise<Expectation[]> {
  const rows = await bulkRows(client, SQL.expectedIn, [from, before]);
  return rows.map(({ account, expected }) => ({ account, expected: BigInt(expected) }));
}
