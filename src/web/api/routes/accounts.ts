/** All accounts: those of rigs of this bridge as they mine, then those that only the books have. */

import { z } from 'zod';
import {
  type AccountMoney,
  BooksAwayError,
  type BooksWatch,
  type Money,
} from '../../../bridge/watch/books-watch.js';
import type { AccountReport, Listing, RigWatch, Slice } from '../../../bridge/watch/rig-watch.js';
import { ACCOUNTS } from '../schemas/book-schemas.js';
import { FAULT, SLICE } from '../schemas/fields.js';
import { showAccount } from '../show/show-rigs.js';
import type { Api } from '../typed.js';

const ZERO = '0.000000000000';
/** Of whom the ledger has no amount. */
const NOTHING: Money = { balance: ZERO, held: ZERO, paying: ZERO, paid: ZERO };

type Accounts = Pick<RigWatch, 'accounts' | 'accountNames' | 'sessionsByAccount'>;

export function addAccountList(api: Api, rigs: Accounts, books: BooksWatch): void {
  const schema = {
    tags: ['rigs'],
    summary:
      'Accounts of the rigs of this bridge, fastest first, then all others that have money, with what they have',
    description:
      'Hash rates and sessions are of this bridge, money is from the ledger: of all bridges on it. To whom most is due comes first of the others',
    querystring: z.strictObject(SLICE),
    response: { 200: ACCOUNTS, 400: FAULT },
  };
  api.get('/api/v1/accounts', { schema }, async ({ query: slice }) => {
    const here = await rigs.accounts(slice);
    const booked = await bookedOf(books, await rigs.accountNames(), here, slice);
    const sessions = await rigs.sessionsByAccount();
    return {
      total: here.total + (booked?.others.total ?? 0),
      ...slice,
      accounts: [
        ...here.items.map((report) => showHere(report, booked)),
        ...(booked?.others.items ?? []).map((other) => showOther(other, sessions)),
      ],
      isComplete: booked !== undefined,
    };
  });
}

interface Booked {
  /** Of those that mine here. */
  readonly money: ReadonlyMap<string, Money>;
  /** Those of the page that do not. */
  readonly others: Listing<AccountMoney>;
}

/** `undefined` while the books do not answer: what is known here is shown all the same. */
async function bookedOf(
  books: BooksWatch,
  names: readonly string[],
  here: Listing<AccountReport>,
  { offset, limit }: Slice,
): Promise<Booked | undefined> {
  const shown = here.items.map(({ account }) => account);
  const rest = { offset: Math.max(0, offset - here.total), limit: limit - shown.length };
  try {
    const [money, others] = await Promise.all([
      shown.length > 0 ? books.moneyOf(shown) : new Map<string, Money>(),
      books.otherAccounts(names, rest),
    ]);
    return { money, others };
  } catch (error) {
    if (error instanceof BooksAwayError) return undefined;
    throw error;
  }
}

type Listed = z.output<typeof ACCOUNTS>['accounts'][number];

function showHere(report: AccountReport, booked: Booked | undefined): Listed {
  const money = booked ? (booked.money.get(report.account) ?? NOTHING) : null;
  return { ...showAccount(report), money };
}

function showOther({ account, ...money }: AccountMoney, sessions: ReadonlyMap<string, number>): Listed {
  return { account, sessions: sessions.get(account) ?? 0, hashRates: [], lastShareAt: null, money };
}
