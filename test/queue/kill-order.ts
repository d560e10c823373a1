/** Who is killed after whom, and when. */

/**
 * What lies between two kills:
 * - `up`: all are up again, and shares are taken.
 * - `down`: the first is still dead when the second is killed.
 * - `starting`: the first is on its way up.
 */
export type Between = 'up' | 'down' | 'starting';

export interface Kill<T> {
  readonly victim: T;
  /** Before the next one. */
  readonly next: Between;
}

/** Read as a ring, every victim comes once right behind every one, itself too: a De Bruijn sequence. */
function everyPair<T>(victims: readonly T[]): T[] {
  return victims.flatMap((first, i) => [
    first,
    ...victims.slice(i + 1).flatMap((second): T[] => [first, second]),
  ]);
}

/**
 * So that each victim dies at least so often. In any two rounds every pair comes once with all up in between, and once without:
 * in the first two `down`, in the next two `starting`, and so on. There are at least two rounds.
 */
export function killOrder<T>(victims: readonly T[], times: number): Kill<T>[] {
  const round = everyPair(victims);
  const rounds = Math.max(2, Math.ceil(times / victims.length));
  return Array.from({ length: rounds }, (_, number) => {
    const soon: Between = number % 4 < 2 ? 'down' : 'starting';
    return round.map((victim, i): Kill<T> => ({ victim, next: (number + i) % 2 === 0 ? soon : 'up' }));
  }).flat();
}
