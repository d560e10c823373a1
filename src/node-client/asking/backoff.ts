const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/**
 * Pause before the next try in milliseconds: doubles with each failure, and is spread over its upper half so that many
 * who failed together do not return together.
 *
 * @param failures failures in a row, from 1.
 * @param random in [0, 1).
 */
export function backoffMs(failures: number, random: number, longestMs = LONGEST_MS): number {
  const ceiling = Math.min(longestMs, FIRST_MS * 2 ** Math.min(failures - 1, 10));
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}
