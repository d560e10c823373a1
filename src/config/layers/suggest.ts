/** What an operator may have meant by a name that is none. */

import type { Settings } from '../../values/setting.js';
/**
 * The known name that is nearest to `given`, whole or in its last words: one that differs by a slip of the fingers at most.
 * `undefined` when nothing is near: no advice is better than a wrong one.
 */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const words = wordsOf(given);
  const sought = words.join(' ');
  const slipsOf = (all: readonly string[]): number =>
    Math.min(...[all, all.slice(-words.length)].map((part) => slipsBetween(sought, part.join(' '))));
  const ranked = known
    .map((name) => ({ name, slips: slipsOf(wordsOf(name)) }))
    .sort((a, b) => a.slips - b.slips);
  const [best] = ranked;
  return best && best.slips <= Math.max(1, sought.length / 5) ? best.name : undefined;
}

/** `stratum.shareDifficulty`, `STRATUM_SHARE_DIFFICULTY` and `share-difficulty` are made of the same words. */
function wordsOf(name: string): string[] {
  const parted = /[a-z]/.test(name) ? name.replace(/[A-Z]+/g, (letters) => ` ${letters}`) : name;
  return parted
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

/** Letters to add, drop or change, two swapped ones counted as one. */
function slipsBetween(a: string, b: string): number {
  let [before, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      }
      next.push(least);
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}

/** Of the settings of a command, or else of all: the nearest by key as `nameOf` writes it. */
export function nearestSetting(
  given: string,
  settings: Settings,
  every: Settings,
  nameOf: (key: string) => string = (key) => key,
): string | undefined {
  const among = (table: Settings) => nearest(given, Object.keys(table).map(nameOf));
  return among(settings) ?? among(every);
}

/** The end of a sentence about a name that is none. */
export function suggestion(meant: string | undefined): string {
  return meant ? `; did you mean ${meant}?` : '; `stratum-bridge config` lists all';
}
