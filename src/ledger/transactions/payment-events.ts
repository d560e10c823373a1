/** What happened to payments, each with what showed it: appended in the transaction that makes it so. */
import type pg from 'pg';
import { run } from '../database/statements.js';
import { SQL } from './statements.js';

export interface PaymentEvent {
  readonly paymentId: string;
  readonly transactionId: string | null;
  readonly was: string;
  readonly now: string;
  readonly evidence: Readonly<Record<string, unknown>>;
}

export async function tellEvents(
  client: pg.ClientBase,
  events: readonly PaymentEvent[],
  by = 'the payer',
): Promise<void> {
  if (events.length === 0) return;
  await run(client, SQL.tellEvents, [
    events.map(({ paymentId }) => paymentId),
    events.map(({ transactionId }) => transactionId),
    by,
    events.map(({ was }) => was),
    events.map(({ now }) => now),
    events.map(({ evidence }) => JSON.stringify(evidence)),
  ]);
}
