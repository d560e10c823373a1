/** Orders to sessions: close one, send a message to some. */
import { z } from 'zod';
import type { Audience, Steering } from '../../../bridge/orders/steering.js';
import { wholeNumber } from '../../../operations/fields.js';
import { orderedBy } from '../../access/standing.js';
import { CLOSE, CLOSED, MESSAGE, TOLD } from '../schemas/order-schemas.js';
import type { Api } from '../typed.js';
import { carriedOut, FAULTS, iso } from './orders.js';

const TAGS = ['orders'];

export function addSessionOrders(api: Api, steering: Steering | undefined): void {
  addClose(api, steering);
  addMessage(api, steering);
}

function addClose(api: Api, steering: Steering | undefined): void {
  api.post(
    '/api/v1/sessions/:id/close',
    {
      schema: {
        tags: TAGS,
        summary: 'Closes one session, which may come back unless it is banned',
        description: 'By number and time, so that never another session is closed that got the same number',
        params: z.object({ id: wholeNumber(0, Number.MAX_SAFE_INTEGER) }),
        body: CLOSE,
        response: { 200: CLOSED, ...FAULTS },
      },
    },
    (request) => {
      const { openedAt, reason } = request.body;
      const session = { id: request.params.id, openedAtMs: Date.parse(openedAt) };
      const { closed } = carriedOut(steering?.close(session, reason, orderedBy(request)));
      return { closed: { id: closed.id, openedAt: iso(closed.openedAtMs) } };
    },
  );
}

function addMessage(api: Api, steering: Steering | undefined): void {
  api.post(
    '/api/v1/messages',
    {
      schema: {
        tags: TAGS,
        summary: 'Shows a text to rigs that take one',
        description: 'It is told how many took it, of how many that were meant',
        body: MESSAGE,
        response: { 200: TOLD, ...FAULTS },
      },
    },
    (request) => {
      const { text, ...to } = request.body;
      return carriedOut(steering?.tell(audienceOf(to), text, orderedBy(request)));
    },
  );
}

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never;

function audienceOf(to: Without<z.output<typeof MESSAGE>, 'text'>): Audience {
  if (to.to !== 'session') return to;
  return { to: 'session', id: to.id, openedAtMs: Date.parse(to.openedAt) };
}
