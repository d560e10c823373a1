/** What blocks would bring that are not split yet: computed from who worked for them when somebody looks, and kept for a moment. */
import { formatAmount, parseAmount } from '../../core/money/amount.js';
import { type Ask, statementsOf } from '../database/statements.js';
import { OPERATOR } from '../settlement/transfers.js';

const SQL = statementsOf('watch/accounts.sql');

/** With thousands of accounts and a hundred blocks it takes the database half a second. */
const KEPT_MS = 5_000;

/** Amounts by account, `''` being the operator. */
export type Expected = ReadonlyMap<string, string>;

export class ExpectedBooks {
  #last: Promise<Expected> | undefined;
  #atMs = 0;

  /** Who asks at once is given one answer. */
  async read(ask: Ask): Promise<Expected> {
    const nowMs = performance.now();
    if (this.#last && nowMs - this.#atMs < KEPT_MS) return this.#last;
    const read = readExpected(ask);
    [this.#last, this.#atMs] = [read, nowMs];
    // The next one asks anew.
    read.catch(() => {
      if (this.#last === read) this.#last = undefined;
    });
    return read;
  }
}

export async function readExpected(ask: Ask): Promise<Expected> {
  const rows = await ask(SQL.expected);
  return new Map(rows.map(({ account, amount }) => [account, amount]));
}

export function expectedOf(expected: Expected, account: string): string {
  return expected.get(account) ?? formatAmount(0n);
}

/** Of all accounts, the operator's left out. */
export function allExpected(expected: Expected): string {
  let sum = 0n;
  for (const [account, amount] of expected) if (account !== OPERATOR) sum += parseAmount(amount) ?? 0n;
  return formatAmount(sum);
}
