/** What is looked at before anything new is made: books that are wrong pay nobody. */
import { pauseFor, type Round } from './parts.js';

/** Of the books, as far as payments need them. Resolves with whether payouts are paused for it. */
export async function pausedByBooks(round: Pick<Round, 'seat' | 'log'>): Promise<boolean> {
  const faults = await round.seat.faults();
  const [first] = faults;
  if (first === undefined) return false;
  const more = faults.length === 1 ? '' : `, and ${faults.length - 1} more`;
  return pauseFor(round, {
    kind: 'books-wrong',
    says: `the books are wrong: ${first}${more}`,
    evidence: { faults },
  });
}
