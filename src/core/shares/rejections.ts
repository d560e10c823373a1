/** Why a submit is no share. Loads nothing, as who only lists them has no need of the rest. */

/** The stratum room maps each to a wire code. */
export const REJECTIONS = [
  'stale',
  'unknownJob',
  'duplicate',
  'lowDifficulty',
  'malformed',
  'unauthorized',
  'notSubscribed',
  'tryAgain',
] as const;
export type Rejection = (typeof REJECTIONS)[number];
