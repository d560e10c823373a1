/**
 * Proves that the books balance. Each check is one statement of one moment, or many over pieces of history that does not change any
 * more: nothing holds up who records, however long the history is.
 */
import type pg from 'pg';
import { type Ask, type Given, rowsOf, type Statement, statementsOf } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { type Proof, SHOWN } from './proof.js';

/** Sentences of what breaks a check, at most {@link SHOWN}; $1 and $2 of a piece are where it begins and ends, both part of it. */
const SQL = statementsOf('proof/verify.sql');

type Pieces = 'ofDays' | 'ofBlocks';

interface Check {
  /** Of its statement. */
  readonly name: Exclude<keyof typeof SQL, Pieces>;
  readonly says: string;
  /** Of what: slots by the day, or ids of blocks. */
  readonly pieces?: Pieces;
  /** Rows tell of what cannot be mended any more: the books balance all the same. */
  readonly isNote?: true;
}

const CHECKS: readonly Check[] = [
  { name: 'balances', says: 'every balance is the sum of its transfers' },
  {
    name: 'blocks',
    says: 'a block is split exactly while it is confirmed, and what was transferred of it is what it pays, to the last unit',
    pieces: 'ofBlocks',
  },
  { name: 'payouts', says: 'what was paid is what the payments say' },
  { name: 'transactions', says: 'what was paid on chain is what its transactions say, and so is its gas' },
  { name: 'days', says: 'the sums of days that are closed are of all their transfers' },
  { name: 'acknowledged', says: 'what bridges have acknowledged is booked, set aside, or was given up' },
  {
    name: 'without',
    says: 'nothing is set aside or was given up, and no bridge was ended by hand',
    isNote: true,
  },
  { name: 'shares', says: 'the rounds hold all the work that logs brought' },
  { name: 'rounds', says: 'the minutes hold the work that the rounds do' },
  { name: 'minutes', says: 'sums of accounts over time hold what the sums of rigs do', pieces: 'ofDays' },
  { name: 'pps', says: 'each ten minutes of pay per share were paid what they were worth' },
  { name: 'weights', says: 'who worked for a round did all the work of it', pieces: 'ofBlocks' },
  { name: 'closed', says: 'no time that is yet to come is closed for shares' },
  { name: 'bridges', says: 'every bridge was heard when blocks were weighed', isNote: true },
];

/** Each statement of its own moment. */
export async function verifyBooks(pool: pg.Pool): Promise<Proof[]> {
  return runChecks(patiently(pool));
}

function patiently(pool: pg.Pool): Ask {
  return <V extends readonly unknown[], R>(statement: Statement<V, R>, ...[values = []]: Given<V>) =>
    inTransaction(pool, async (client) => {
      // A proof may take its time, and holds up nobody.
      await client.query(`SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = ${PATIENCE_MS}`);
      return rowsOf<readonly unknown[], R>(client, statement, values, PATIENCE_MS);
    });
}

const PATIENCE_MS = 600_000;

export async function runChecks(ask: Ask, checks = CHECKS): Promise<Proof[]> {
  const proofs: Proof[] = [];
  for (const check of checks) {
    const found = await sentencesOf(ask, check);
    const { name, says, isNote } = check;
    proofs.push({ name, says, broken: isNote ? [] : found, noted: isNote ? found : [] });
  }
  return proofs;
}

async function sentencesOf(ask: Ask, { name, pieces }: Check): Promise<string[]> {
  const found: string[] = [];
  for (const { piece } of pieces ? await ask(SQL[pieces]) : [{ piece: [] }]) {
    const rows = await ask<readonly unknown[], { says: string }>(SQL[name], piece);
    found.push(...rows.map(({ says }) => says));
    if (found.length >= SHOWN) break;
  }
  return found.slice(0, SHOWN);
}
