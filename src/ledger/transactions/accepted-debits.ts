/** Debits of the paying account that are none of the books': who resumes has looked at them, and they pause nothing again. */
import type pg from 'pg';
import { debitName, type ForeignDebit } from '../../bridge/payouts/payer-books.js';
import { rowsOf, run } from '../database/statements.js';
import { SQL } from './statements.js';

/** People accept one after the other: more were never looked at again. */
const MOST_KEPT = 10_000;
const SHOWN = 3;

interface Reason {
  readonly kind: string | null;
  readonly evidence: Partial<ForeignDebit> | null;
}

/** Of a pause: further reasons stand beside what showed the first one. */
export type PauseEvidence = Partial<ForeignDebit> & { readonly besides?: readonly Reason[] };

/** What payouts were paused for, and what a comparison of books and chain has called foreign since then. */
interface ShownDebits extends Reason {
  readonly evidence: PauseEvidence | null;
  readonly foreign: readonly ForeignDebit[] | null;
}

/** What was shown since payouts were paused, and nothing else. Within the caller's transaction; resolves with those that are new. */
export async function acceptDebits(
  client: pg.ClientBase,
  { kind, evidence, foreign }: ShownDebits,
  by: string,
  note: string,
): Promise<readonly ForeignDebit[]> {
  const paused = [{ kind, evidence }, ...(evidence?.besides ?? [])].flatMap(debitOf);
  const shown = [...paused, ...(foreign ?? [])].map((debit) => ({ ...debit, name: debitName(debit) }));
  if (shown.length === 0) return [];
  const rows = await rowsOf(client, SQL.acceptDebits, [JSON.stringify(shown), by, note]);
  await run(client, SQL.forgetDebits, [MOST_KEPT]);
  const fresh = new Set(rows.map(({ name }) => name));
  return shown.filter(({ name }) => fresh.delete(name)).map(({ name: _, ...debit }) => debit);
}

function debitOf({ kind, evidence }: Reason): ForeignDebit[] {
  if (kind !== 'foreign-debit' || !evidence) return [];
  const { chainId, height, hash, account, amount, requestKey } = evidence;
  if (chainId === undefined || height === undefined || hash === undefined) return [];
  if (account === undefined || amount === undefined) return [];
  return [{ chainId, height, hash, account, amount, requestKey }];
}

/** For a sentence; empty where there is none. */
export function acceptedWords(accepted: readonly ForeignDebit[]): string {
  if (accepted.length === 0) return '';
  const shown = accepted.slice(0, SHOWN).map(debitWords).join(', ');
  const more = accepted.length > SHOWN ? ` and ${accepted.length - SHOWN} more` : '';
  return `; accepted as known: ${shown}${more}`;
}

export function debitWords({ amount, account, chainId, height, requestKey }: ForeignDebit): string {
  return `${amount} to ${account} on chain ${chainId} at height ${height} (${requestKey ?? 'by no command'})`;
}
