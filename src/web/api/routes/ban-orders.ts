/** Bans by order. */
import { z } from 'zod';
import type { Steering } from '../../../bridge/orders/steering.js';
import { orderedBy } from '../../access/standing.js';
import { BAN_ORDER, BANNED, UNBANNED } from '../schemas/order-schemas.js';
import { showBan } from '../show/show-rigs.js';
import type { Api } from '../typed.js';
import { carriedOut, FAULTS } from './orders.js';

const TAGS = ['orders'];
const whole = (address: string): string => address;

/** @param nowMs since the epoch. */
export function addBanOrders(api: Api, steering: Steering | undefined, nowMs: () => number = Date.now): void {
  addBan(api, steering, nowMs);
  addUnban(api, steering);
}

function addBan(api: Api, steering: Steering | undefined, nowMs: () => number): void {
  api.post(
    '/api/v1/bans',
    {
      schema: {
        tags: TAGS,
        summary: 'Bans a rig, a login, an account or an address, and closes the sessions that it meets',
        description: 'The same again changes reason and end, and keeps its id',
        body: BAN_ORDER,
        response: { 200: BANNED, ...FAULTS },
      },
    },
    async (request) => {
      const { until, forMs, ...order } = request.body;
      if (until !== undefined && forMs !== undefined)
        carriedOut({ refused: 'unfit', why: 'until and forMs are two ends of the same ban: give one' });
      const untilMs = until === undefined ? forMs && nowMs() + forMs : Date.parse(until);
      const done = carriedOut(await steering?.ban({ ...order, untilMs }, orderedBy(request)));
      return { ...done, ban: showBan(done.ban, whole) };
    },
  );
}

function addUnban(api: Api, steering: Steering | undefined): void {
  api.delete(
    '/api/v1/bans/:id',
    {
      schema: {
        tags: TAGS,
        summary: 'Takes a ban back, those of the bridge itself too',
        params: z.object({ id: z.string().max(40, 'the id of a ban') }),
        response: { 200: UNBANNED, ...FAULTS },
      },
    },
    async (request) => {
      const done = carriedOut(await steering?.unban(request.params.id, orderedBy(request)));
      return { ...done, ban: showBan(done.ban, whole) };
    },
  );
}
