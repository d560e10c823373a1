/** Why submits were rejected, in the words that rigs and the README have for it. */
import type { Summary } from '../reading/answers.js';
import { count } from './numbers.js';

type Outcome = keyof Summary['submits'];

const WORDS: Record<Exclude<Outcome, 'accepted'>, string> = {
  stale: 'stale',
  unknownJob: 'of an unknown job',
  duplicate: 'twice',
  lowDifficulty: 'below the difficulty',
  malformed: 'malformed',
  unauthorized: 'unauthorized',
  notSubscribed: 'not subscribed',
  tryAgain: 'not kept: try again',
};
/** By name, whatever comes from the API. */
export const OUTCOME_WORDS: Readonly<Partial<Record<string, string>>> = WORDS;

/** How often each outcome was. */
export type Outcomes = Readonly<Partial<Record<string, number>>>;

/** `3 stale, 1 twice`: the most frequent first; empty when there are none. */
export function outcomeWords(submits: Outcomes): string {
  const rejected = Object.entries(WORDS).map(([outcome, words]) => ({ words, times: submits[outcome] ?? 0 }));
  return rejected
    .filter(({ times }) => times > 0)
    .sort((a, b) => b.times - a.times)
    .map(({ words, times }) => `${count(times)} ${words}`)
    .join(', ');
}

/** How many submits were rejected. */
export function timesIn(rejected: Outcomes): number {
  return Object.values(rejected).reduce<number>((sum, times) => sum + (times ?? 0), 0);
}
