/** Who gets what of a block. */
import { z } from 'zod';
import type { BlockSplit, BooksWatch } from '../../../bridge/watch/books-watch.js';
import { FAULT, SLICE } from '../../../operations/fields.js';
import { BLOCK_SPLIT } from '../schemas/book-schemas.js';
import type { Api } from '../typed.js';

export function addSplit(api: Api, books: BooksWatch): void {
  api.get(
    '/api/v1/blocks/:id/split',
    {
      schema: {
        tags: ['books'],
        summary: 'Who gets what of a block',
        params: z.object({ id: z.string().regex(/^\d{1,18}$/, 'the number of a block') }),
        querystring: z.strictObject(SLICE),
        response: { 200: BLOCK_SPLIT, 400: FAULT, 404: FAULT, 503: FAULT },
      },
    },
    async ({ params: { id }, query: slice }, reply) => {
      const split = await books.split(id, slice);
      if (!split) return reply.code(404).send({ error: `there is no block ${id}` });
      return { ...showSplit(split), ...slice };
    },
  );
}

function showSplit({ scheme, feeBasisPoints, reward, lines, ...block }: BlockSplit) {
  return {
    ...block,
    scheme: scheme ?? null,
    fee: feeBasisPoints === undefined ? null : feeBasisPoints / 10_000,
    reward: reward ?? null,
    lines: lines.map(({ account, amount }) => ({ account: account === '' ? null : account, amount })),
  };
}
