/** Payments on chain: who pays, lines of a payout, and the evidence of one payment. */
import { z } from 'zod';
import type { BooksWatch } from '../../../../bridge/watch/books-watch.js';
import { FAULT, SLICE } from '../../../../operations/fields.js';
import { EVIDENCE_OF_PAYMENT, PAID_LINES, PAYER } from '../../schemas/payer-schemas.js';
import { showLine, showPayer, showProof } from '../../show/show-payer.js';
import type { Api } from '../../typed.js';

const FAULTS = { 400: FAULT, 404: FAULT, 503: FAULT };
const TAGS = ['books'];
/** Of accounts that are held. */
export const MOST_HOLDS = 1_000;

export function addPayerRoutes(api: Api, books: BooksWatch): void {
  const payer = {
    tags: TAGS,
    summary:
      'Who pays on chain: whether it is paused and why, its runs, its chains with their coins, and who is held',
    response: { 200: PAYER, 503: FAULT },
  };
  api.get('/api/v1/payouts/payer', { schema: payer }, async () =>
    showPayer(await books.payer(), await books.holds(MOST_HOLDS)),
  );
  addLines(api, books);
  addEvidence(api, books);
}

function addLines(api: Api, books: BooksWatch): void {
  const schema = {
    tags: TAGS,
    summary:
      'Payments of a payout, with the transaction that pays each: its state, request key, block and gas',
    params: z.object({ id: z.string().regex(/^\d{1,18}$/, 'the number of a payout') }),
    querystring: z.strictObject(SLICE),
    response: { 200: PAID_LINES, ...FAULTS },
  };
  api.get('/api/v1/payouts/:id/lines', { schema }, async ({ params: { id }, query: slice }, reply) => {
    const found = await books.paidLines(id, slice);
    if (!found) return reply.code(404).send({ error: `there is no payout ${id}` });
    return { total: found.total, ...slice, lines: found.items.map(showLine) };
  });
}

function addEvidence(api: Api, books: BooksWatch): void {
  const schema = {
    tags: TAGS,
    summary:
      'One payment on chain: its transactions with the texts that were signed, and each step with what showed it',
    params: z.object({
      id: z
        .string()
        .regex(/^(\d{1,18}|[\w-]{43})$/, 'the number of a payment, or a request key of 43 characters')
        .describe('number of a payment, or request key of one of its transactions'),
    }),
    response: { 200: EVIDENCE_OF_PAYMENT, ...FAULTS },
  };
  api.get('/api/v1/payments/:id/evidence', { schema }, async ({ params: { id } }, reply) => {
    const found = await books.payment(id);
    return found ? showProof(found) : reply.code(404).send({ error: `there is no payment ${id} on chain` });
  });
}
