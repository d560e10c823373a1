/** Payments on chain by order: approve or reject a batch, pause and resume, hold and allow accounts. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { PayerDesk } from '../../../../bridge/orders/payer-desk.js';
import type { BooksWatch } from '../../../../bridge/watch/books-watch.js';
import { FAULT } from '../../../../operations/entry/fields.js';
import type { Refused } from '../../../../operations/entry/operation.js';
import { HOLD, PAYER, PAYOUT } from '../../../../operations/payouts.js';
import { orderedBy } from '../../../access/standing.js';
import type { Once } from '../../once.js';
import { ALLOWED, APPROVAL, HELD, REASON, RESUMED } from '../../schemas/payer-schemas.js';
import { carriedOut } from '../../serve.js';
import { showHold, showPayer } from '../../show/show-payer.js';
import type { Api } from '../../typed.js';
import { MOST_HOLDS } from '../books.js';

const TAGS = ['orders'];
const HEADERS = z.object({
  'idempotency-key': z
    .string()
    .max(200)
    .optional()
    .describe('the same order with the same key is given once, and answered the same'),
});
const MOVED = FAULT.extend({
  payout: PAYOUT.optional().describe('as it stands now'),
  payer: PAYER.optional().describe('as it stands now'),
}).meta({ id: 'Moved' });
const FAULTS = { 400: FAULT, 404: FAULT, 409: MOVED, 503: FAULT } as const;

interface Parts {
  readonly desk: PayerDesk | undefined;
  readonly books: BooksWatch;
  readonly once: Once;
}

export function addPayerOrders(api: Api, parts: Parts): void {
  addApprovals(api, parts);
  addPauses(api, parts);
  addHolds(api, parts);
}

const PARAMS = z.object({ id: z.string().regex(/^\d{1,18}$/, 'the number of a payout') });
const APPROVE = { access: 'approve' } as const;

function addApprovals(api: Api, { desk, books, once }: Parts): void {
  const response = { 200: z.object({ payout: PAYOUT, missing: z.int() }), ...FAULTS };
  const summary = 'Lets the bridge pay a payout that waits for it';
  api.post(
    '/api/v1/payouts/:id/approve',
    {
      config: APPROVE,
      schema: { tags: TAGS, summary, params: PARAMS, headers: HEADERS, body: APPROVAL, response },
    },
    async (request, reply) => {
      const { id } = request.params;
      const order = () => desk?.approve(id, request.body.contentHash, orderedBy(request));
      const told = await given(once, request, order);
      if (isMoved(told)) return reply.code(409).send(await payoutNow(books, id, told));
      const { payout, missing } = carriedOut(told);
      return { payout, missing };
    },
  );
  const rejected = { 200: z.object({ payout: PAYOUT }), ...FAULTS };
  const words =
    'Puts the amounts of a payout back into the balances, but of what may be on the chain: that is followed';
  api.post(
    '/api/v1/payouts/:id/reject',
    {
      config: APPROVE,
      schema: {
        tags: TAGS,
        summary: words,
        params: PARAMS,
        headers: HEADERS,
        body: REASON,
        response: rejected,
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const told = await given(once, request, () => desk?.reject(id, request.body.note, orderedBy(request)));
      if (isMoved(told)) return reply.code(409).send(await payoutNow(books, id, told));
      return { payout: carriedOut(told).payout };
    },
  );
}

function addPauses(api: Api, { desk, books, once }: Parts): void {
  const response = { 200: PAYER, ...FAULTS };
  const paused = 'Builds, signs and sends nothing new on chain; what is on its way is followed';
  api.post(
    '/api/v1/payouts/payer/pause',
    { config: APPROVE, schema: { tags: TAGS, summary: paused, headers: HEADERS, body: REASON, response } },
    async (request) => {
      const told = await given(once, request, () => desk?.pause(request.body.note, orderedBy(request)));
      return showPayer(carriedOut(told).payer, await books.holds(MOST_HOLDS));
    },
  );
  const resumed = 'Goes on after a pause, where the checks of money hold';
  api.post(
    '/api/v1/payouts/payer/resume',
    { schema: { tags: TAGS, summary: resumed, headers: HEADERS, body: RESUMED, response } },
    async (request, reply) => {
      // Checks of long books take the time that they take.
      request.raw.socket.setTimeout(0);
      const { note, anyway } = request.body;
      const told = await given(once, request, () => desk?.resume(note, anyway, orderedBy(request)));
      const holds = await books.holds(MOST_HOLDS);
      if (isMoved(told))
        return reply.code(409).send({ error: told.why, payer: showPayer(await books.payer(), holds) });
      return showPayer(carriedOut(told).payer, holds);
    },
  );
}

function addHolds(api: Api, { desk, once }: Parts): void {
  const response = { 200: z.object({ holds: z.array(HOLD).describe('of this account') }), ...FAULTS };
  const held = 'Does not pay an account, on one chain or on all; what is on its way to it goes on';
  api.post(
    '/api/v1/payouts/payer/hold',
    { schema: { tags: TAGS, summary: held, headers: HEADERS, body: HELD, response } },
    async (request) => {
      const { until, account, chainId, note } = request.body;
      const order = { account, chainId, note, by: orderedBy(request) };
      const untilMs = until === undefined ? undefined : Date.parse(until);
      const { holds } = carriedOut(await given(once, request, () => desk?.hold(order, untilMs)));
      return { holds: holds.map(showHold) };
    },
  );
  const allowed = 'Pays an account again';
  api.post(
    '/api/v1/payouts/payer/allow',
    { schema: { tags: TAGS, summary: allowed, headers: HEADERS, body: ALLOWED, response } },
    async (request) => {
      const { account, chainId, note } = request.body;
      const order = { account, chainId, note, by: orderedBy(request) };
      const { holds } = carriedOut(await given(once, request, () => desk?.allow(order)));
      return { holds: holds.map(showHold) };
    },
  );
}

function given<T>(
  once: Once,
  request: FastifyRequest,
  act: () => Promise<T> | undefined,
): Promise<T | undefined> {
  return once.give(request, async () => act());
}

function isMoved(told: object | undefined): told is Refused {
  return told !== undefined && 'refused' in told && told.refused === 'busy';
}

async function payoutNow(books: BooksWatch, id: string, { why }: Refused) {
  const payout = await books.payout(id, { offset: 0, limit: 0 });
  return { error: why, ...(payout ? { payout } : {}) };
}
