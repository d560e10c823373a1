/** Files of payouts, as `ledger payout prepare` writes them, read back: what was paid since a dump was written. */
import { z } from 'zod';
import { parseAmount } from '../../core/money/amount.js';
import { LedgerError } from '../database/errors.js';

export interface PaidPayout {
  readonly name: string;
  readonly chainId: number | null;
  readonly lines: readonly PaidLine[];
}

export interface PaidLine {
  readonly account: string;
  readonly amount: string;
  /** Null: any. */
  readonly chainId: number | null;
  /** By its file it was not paid. */
  readonly failed?: boolean;
}

const JSON_FILE = z.object({
  name: z.string(),
  chainId: z.int().nullish(),
  lines: z.array(
    z.object({
      account: z.string().min(1),
      chainId: z.int().nullable(),
      amount: z.string(),
      state: z.string().optional(),
    }),
  ),
});

/** Throws LedgerError `refused`. */
export function readPaidFile(path: string, text: string): PaidPayout[] {
  const payouts = text.trimStart().startsWith('{') ? [fromJson(path, text)] : fromCsv(path, text);
  for (const { name, lines } of payouts)
    for (const { account, amount } of lines)
      if ((parseAmount(amount) ?? 0n) <= 0n)
        throw noFile(
          path,
          `payout ${name} pays ${JSON.stringify(account)} no amount: ${JSON.stringify(amount)}`,
        );
  return payouts;
}

function fromJson(path: string, text: string): PaidPayout {
  const { data } = JSON_FILE.safeParse(parsed(text));
  if (!data) throw noFile(path, 'its JSON has no name and lines');
  const { name, chainId = null, lines } = data;
  return {
    name,
    chainId,
    lines: lines.map(({ state, ...line }) => ({ ...line, failed: state === 'failed' })),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // refused with the file's name
  }
}

function fromCsv(path: string, text: string): PaidPayout[] {
  const [head, ...rows] = csvRows(text);
  if (head?.join() !== 'batch,account,amount,chain')
    throw noFile(path, 'it does not begin with batch,account,amount,chain');
  const payouts = new Map<string, PaidLine[]>();
  for (const cells of rows) {
    const [name = '', account = '', amount = '', chain = ''] = cells;
    if (cells.length !== 4 || name === '' || account === '' || !/^\d{0,9}$/.test(chain))
      throw noFile(path, 'a line has not four cells, the last of them a chain or empty');
    const lines = payouts.get(name) ?? [];
    // What begins like a formula was written with a blank before.
    const chainId = chain === '' ? null : Number(chain);
    lines.push({ account: account.replace(/^ (?=[=+\-@\t\r])/, ''), chainId, amount });
    payouts.set(name, lines);
  }
  return Array.from(payouts, ([name, lines]) => ({ name, chainId: null, lines }));
}

/** As RFC 4180 has them. */
function csvRows(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end !== ',') rows.push([]);
  }
  return rows.filter((cells) => cells.join('') !== '');
}

function noFile(path: string, what: string): LedgerError {
  return new LedgerError('refused', `${path} is no file of a payout: ${what}`);
}
