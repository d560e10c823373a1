/** Payouts by order: prepare one, and say what became of it. */
import { z } from 'zod';
import type { PayoutDesk, PayoutOutcome } from '../../../../bridge/orders/payout-desk.js';
import { BODY, FAULT } from '../../../../operations/entry/fields.js';
import { PAYOUT } from '../../../../operations/payouts.js';
import { orderedBy } from '../../../access/standing.js';
import { carriedOut } from '../../serve.js';
import type { Api } from '../../typed.js';

const TAGS = ['orders'];
const NOTE = z.strictObject(
  {
    note: z
      .string('a text')
      .max(500, 'a text of at most 500 characters')
      .default('')
      .describe('kept with it, such as a transaction; whom the payout pays may read it'),
  },
  BODY,
);
const FAULTS = { 400: FAULT, 404: FAULT, 409: FAULT, 503: FAULT } as const;

export function addPayoutOrders(api: Api, desk: PayoutDesk | undefined): void {
  addPrepare(api, desk);
  addMark(api, desk, 'paid', 'sent', 'Says that a payout was paid, which is final');
  addMark(api, desk, 'cancel', 'failed', 'Says that a payout failed: its amounts are back in the balances');
  addMark(api, desk, 'unknown', 'unknown', 'Says that it is not known yet whether a payout was paid');
}

function addPrepare(api: Api, desk: PayoutDesk | undefined): void {
  api.post(
    '/api/v1/payouts',
    {
      config: { access: 'approve' },
      schema: {
        tags: TAGS,
        summary: 'Prepares a payout of all balances from the minimum up, or gives the one that is prepared',
        description:
          'As `stratum-bridge ledger payout prepare`: nodes are asked first whether the blocks that pay for it are still on their chains. Nothing is sent: pay it, and say so',
        response: {
          200: z.object({
            payout: PAYOUT.nullable().describe('null when nothing is due, or the bridge that pays was asked'),
            isAsked: z
              .boolean()
              .describe(
                'the bridge that pays on chain makes one with its next round: /api/v1/payouts/payer tells',
              ),
          }),
          ...FAULTS,
        },
      },
    },
    async (request) => {
      // Nodes take the time that they take.
      request.raw.socket.setTimeout(0);
      const { payout, isAsked } = carriedOut(await desk?.prepare(orderedBy(request)));
      return { payout: payout ?? null, isAsked };
    },
  );
}

function addMark(
  api: Api,
  desk: PayoutDesk | undefined,
  verb: string,
  outcome: PayoutOutcome,
  summary: string,
): void {
  api.post(
    `/api/v1/payouts/:id/${verb}`,
    {
      schema: {
        tags: TAGS,
        summary,
        params: z.object({ id: z.string().regex(/^\d{1,18}$/, 'the number of a payout') }),
        body: NOTE,
        response: { 200: z.object({ payout: PAYOUT }), ...FAULTS },
      },
    },
    async (request) => {
      const { id } = request.params as { id: string };
      const { payout } = carriedOut(await desk?.mark(id, outcome, request.body.note, orderedBy(request)));
      return { payout };
    },
  );
}
