/** What routes of orders have in common: what a refusal is over HTTP. */
import type { Refused } from '../../../bridge/orders/steering.js';
import { FAULT } from '../../../operations/fields.js';

/** Of each: what it says is wrong, names what is not there, or cannot be done now. */
export const FAULTS = { 400: FAULT, 404: FAULT, 409: FAULT } as const;

const STATUS = { unfit: 400, unknown: 404, full: 409, busy: 409 } as const;

/** Told to who gave the order as what is wrong with it. */
class OrderRefused extends Error {
  override readonly name = 'OrderRefused';
  readonly statusCode: number;

  constructor({ refused, why }: Refused) {
    super(why);
    this.statusCode = STATUS[refused];
  }
}

/** Of a server that has nobody to give orders on to. */
const NOBODY: Refused = { refused: 'busy', why: 'here is nobody to give this order to' };

/** What came of an order that was carried out; one that was not ends the request. */
export function carriedOut<T extends object>(outcome: T | Refused = NOBODY): T {
  if ('refused' in outcome) throw new OrderRefused(outcome);
  return outcome;
}

export const iso = (ms: number): string => new Date(ms).toISOString();
