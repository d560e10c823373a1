/** All accounts: those of rigs as they mine, then those that only the books have. */
import { type AccountMoney, BooksAwayError, type BooksWatch } from '../../../bridge/watch/books-watch.js';
import type { AllBridges } from '../../../bridge/watch/other-bridges.js';
import type { AccountsAsked, Listing, RigWatch } from '../../../bridge/watch/rig-watch.js';
import {
  accounts,
  type ListedAccount,
  type MiningAccount,
  type Money,
} from '../../../operations/books/accounts.js';
import { serveList } from '../serve.js';
import type { Api } from '../typed.js';

const ZERO = '0.000000000000';
/** Of whom the ledger has no amount. */
const NOTHING: Money = { due: ZERO, expected: ZERO, paying: ZERO, paid: ZERO };

type Accounts = Pick<RigWatch, 'accounts' | 'accountNames' | 'sessionsByAccount'>;

export function addAccountList(api: Api, rigs: Accounts, bridges: AllBridges, books: BooksWatch): void {
  serveList(api, accounts, async (question) => {
    await bridges.look();
    const here = await rigs.accounts(question);
    const booked = await bookedOf(books, await rigs.accountNames(), here, question);
    const sessions = await rigs.sessionsByAccount();
    return {
      total: here.total + (booked?.others.total ?? 0),
      items: [
        ...here.items.map((account) => withMoney(account, booked)),
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
  here: Listing<MiningAccount>,
  { offset, limit, q }: AccountsAsked,
): Promise<Booked | undefined> {
  const shown = here.items.map(({ account }) => account);
  const rest = { offset: Math.max(0, offset - here.total), limit: limit - shown.length, q };
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

function withMoney(account: MiningAccount, booked: Booked | undefined): ListedAccount {
  return { ...account, money: booked ? (booked.money.get(account.account) ?? NOTHING) : null };
}

function showOther(
  { account, ...money }: AccountMoney,
  sessions: ReadonlyMap<string, number>,
): ListedAccount {
  return { account, sessions: sessions.get(account) ?? 0, hashRates: [], lastShareAt: null, money };
}
