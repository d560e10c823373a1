/** The numbers of bridges that share a ledger, leased: renewed while a bridge runs, free when it stops or was silent for long. */
import type pg from 'pg';
import type { SessionSigner } from '../../bridge/watch/session-signers.js';
import { rowOf, rowsOf, statementsOf, run as write } from './statements.js';

export interface InstanceOwner {
  /** A UUID that names the data directory. */
  readonly id: string;
  /** One that names this start. */
  readonly run: string;
  /** For people. */
  readonly place: string;
}

export const SQL = statementsOf('database/bridges.sql');

/** `undefined` when the wanted number is another's and `only` that will do, or when all are. */
export async function leaseInstance(
  pool: pg.Pool,
  { id, run, place }: InstanceOwner,
  wanted: number | undefined,
  only: boolean,
): Promise<number | undefined> {
  const leased = await rowOf(pool, SQL.lease, [id, run, place, wanted ?? null, only]);
  return leased?.number ?? undefined;
}

/** False when the number is not this start's any more. @param signs by what it signs sessions, if it does. */
export async function renewInstance(
  pool: pg.Pool,
  { id, run }: InstanceOwner,
  number: number,
  signs?: SessionSigner,
): Promise<boolean> {
  return (await write(pool, SQL.renew, [number, id, run, signs ? JSON.stringify(signs) : null])) === 1;
}

/** By what all of them sign sessions. */
export async function sessionSigners(pool: pg.Pool): Promise<SessionSigner[]> {
  return (await rowsOf(pool, SQL.signers)).map(({ signs }) => signs as unknown as SessionSigner);
}

export async function releaseInstance(pool: pg.Pool, { id, run }: InstanceOwner): Promise<void> {
  await write(pool, SQL.release, [id, run]);
}

/** Words for who has a number. */
export async function holderOf(pool: pg.Pool, number: number): Promise<string> {
  const holder = await rowOf(pool, SQL.holder, [number]);
  return holder ? `${holder.place}, heard of ${holder.seconds} s ago` : 'another bridge';
}
