/** What miners check their splits by. A proof is for who owns the account: he signs that he asks. */
import { z } from 'zod';
import { AUDIT_ORDERS, accountSplits, roots } from '../../../operations/books/audit.js';
import type { Refused } from '../../../operations/entry/operation.js';
import { signedWords } from '../../../operations/entry/signed-words.js';
import type { BooksFor } from '../../state/anonymous-books.js';
import { Nothing, serve, serveList, serveOrder } from '../serve.js';
import type { Api } from '../typed.js';

/** Who got hold of what an owner signed can ask no longer than that. */
const GOOD_FOR_MS = 3_600_000;

export function addAuditRoutes(api: Api, booksFor: BooksFor): void {
  serveList(api, roots, (question, request) => booksFor(request).roots(question));
  serve(api, accountSplits, async ({ account }, request) => {
    const splits = await booksFor(request).accountSplits(account);
    return splits ? { splits } : new Nothing(`no account ${JSON.stringify(account)} is in the books`);
  });
  serveOrder(
    api,
    AUDIT_ORDERS.proofs,
    async ({ account, asks: text, signature, roots: numbers }, request) =>
      faultOf(account, text, signature) ?? { proofs: await booksFor(request).proofs(account, numbers) },
  );
}

const ASK = z.strictObject({
  account: z.string(),
  asks: z.literal('proofs'),
  time: z.iso.datetime({ offset: true }),
});
const EXAMPLE = '{"account":"k:…","asks":"proofs","time":"2026-11-22T15:26:37Z"}';

function faultOf(account: string, text: string, signature: string): Refused | undefined {
  const asked = signedWords({ account, text, signature }, ASK, { what: 'asks', example: EXAMPLE });
  if ('refused' in asked) return asked;
  if (Date.now() - Date.parse(asked.time) <= GOOD_FOR_MS) return undefined;
  return { refused: 'unfit', why: `the time of asks, ${asked.time}, is more than an hour ago` };
}
