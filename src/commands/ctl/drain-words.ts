/** How far a drain is, in sentences. */
import type { Drain } from '../../operations/drain.js';

export function wordsOf({ state, stops, endsAt, by, sessions, asked, unsupported, left }: Drain): string[] {
  if (state === 'off') return ['No drain is on: rigs are let in'];
  const then = stops ? ', and the bridge stops then' : '';
  const words = {
    draining: `The bridge drains until ${endsAt}${then}: nobody is let in`,
    drained: `The bridge is drained${then}: all rigs have gone, and nobody is let in`,
    timeUp: `The time of the drain is over${then}: nobody is let in`,
  }[state];
  return [
    `${words} (ordered by ${by})`,
    `Sessions: ${left} are here, of ${sessions} at the start; asked to go: ${asked}, cannot be asked: ${unsupported}`,
  ];
}
