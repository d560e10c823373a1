/** How far a drain is, in sentences. */
import type { z } from 'zod';
import type { DRAIN } from '../../web/api/schemas/order-schemas.js';

export const DRAIN_PATH = '/api/v1/drain';

export function wordsOf({
  state,
  stops,
  endsAt,
  by,
  sessions,
  asked,
  deaf,
  left,
}: z.output<typeof DRAIN>): string[] {
  if (state === 'off') return ['No drain is on: rigs are let in'];
  const then = stops ? ', and the bridge stops then' : '';
  const words = {
    draining: `The bridge drains until ${endsAt}${then}: nobody is let in`,
    drained: `The bridge is drained${then}: all rigs have gone, and nobody is let in`,
    timeUp: `The time of the drain is over${then}: nobody is let in`,
  }[state];
  return [
    `${words} (ordered by ${by})`,
    `Sessions: ${left} are here, of ${sessions} at the start; asked to go: ${asked}, cannot be asked: ${deaf}`,
  ];
}
