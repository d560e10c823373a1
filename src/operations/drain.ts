/** Emptying a bridge, or all bridges of a machine. */
import { z } from 'zod';
import { BODY, COUNT, duration, TIME } from './entry/fields.js';
import { type Operation, orderOf } from './entry/operation.js';
import { DRAIN_STATES } from './enums.js';

const PATH = '/api/v1/drain';
const DAY_MS = 86_400_000;

export const DRAIN = z
  .object({
    state: z
      .enum(DRAIN_STATES)
      .describe(
        'draining: nobody is let in, and rigs are asked to go; drained: all have gone; timeUp: the time is over and some are here. In all three nobody is let in until the drain is cancelled',
      ),
    by: z.string().nullable().describe('who gave the order; null where it is off, as are the times'),
    startedAt: TIME.nullable(),
    endsAt: TIME.nullable(),
    stops: z.boolean().describe('the bridge stops when it has come to its end'),
    sessions: COUNT.describe('that were open at its start'),
    asked: COUNT.describe('of these, those that were asked to go so far'),
    unsupported: COUNT.describe('of these, those that cannot be asked'),
    left: COUNT.describe('sessions that are still open'),
  })
  .meta({ id: 'Drain' });
export type Drain = z.output<typeof DRAIN>;

export const drainState = {
  tag: 'state',
  access: 'read',
  summary: 'How far a drain is',
  path: PATH,
  output: DRAIN,
} satisfies Operation;

export const drain = orderOf({
  tag: 'orders',
  access: 'operate',
  summary: 'Lets nobody in, and asks rigs that take it to reconnect, each at a time of its own',
  description:
    'With `stop` the bridge ends, with exit code 0, once all have gone or the time is over; without it, it stays, and lets nobody in until the drain is cancelled',
  method: 'POST',
  path: PATH,
  body: z.strictObject(
    {
      over: duration(0, DAY_MS)
        .prefault('10m')
        .describe('rigs are asked to go one after another in this time, such as 10m; at most a day'),
      stop: z
        .boolean('true or false')
        .default(false)
        .describe('the bridge stops, with exit code 0, once all rigs have gone or the time is over'),
    },
    BODY,
  ),
  output: DRAIN,
});

export const cancelDrain = orderOf({
  tag: 'orders',
  access: 'operate',
  summary: 'Cancels a drain: rigs are let in again',
  method: 'DELETE',
  path: PATH,
  output: DRAIN,
});
