/** The books for anonymous users, where they may look: however many ask, there is room left for the questions of operators. */
import type { FastifyRequest } from 'fastify';
import { BooksAwayError, type BooksWatch } from '../../bridge/watch/books-watch.js';

/** As who asks may ask them. */
export type BooksFor = (request: FastifyRequest) => BooksWatch;

/** Of a hundred that may wait for the books. */
const MOST = 20;

/** Only what anonymous users may see is bounded; the rest is as it was. Notes of payments are of operators, signers and nodes: nobody else reads them. */
export function anonymousBooks(books: BooksWatch, most = MOST): BooksWatch {
  let waiting = 0;
  const bounded = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (waiting >= most) throw new BooksAwayError('many ask at once now: ask again in a moment');
    waiting++;
    try {
      return await ask();
    } finally {
      waiting--;
    }
  };
  return {
    ...books,
    account: (name) =>
      bounded(async () => {
        const account = await books.account(name);
        return account && { ...account, payments: account.payments.map((one) => ({ ...one, note: '' })) };
      }),
    earnedDays: (name) => bounded(() => books.earnedDays(name)),
    blocks: (question) => bounded(() => books.blocks(question)),
    roots: (question) => bounded(() => books.roots(question)),
    accountSplits: (name) => bounded(() => books.accountSplits(name)),
    proofs: (name, roots) => bounded(() => books.proofs(name, roots)),
    rounds: () => bounded(() => books.rounds()),
    history: (question) => bounded(() => books.history(question)),
  };
}
