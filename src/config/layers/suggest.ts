/** What an operator may have meant by a name that is none. */
import type { Settings } from '../settings/setting.js';

/**
 * The known name that is nearest to `given`: one that ends in all its words, or one that differs by a slip of the fingers.
 * `aliases` are other ways to say a known name. `undefined` when nothing is near: no advice is better than a wrong one.
 */
export function nearest(
  given: string,
  known: readonly string[],
  aliases: ReadonlyMap<string, string> = new Map(),
): string | undefined {
  const words = wordsOf(given);
  const sought = words.join(' ');
  const alias = [...aliases].find(([other]) => wordsOf(other).join(' ') === sought)?.[1];
  const ending = known.filter((name) => endsWith(wordsOf(name), words));
  if (alias) return alias;
  if (ending.length === 1) return ending[0];
  const ranked = [...known, ...aliases.keys()]
    .map((name) => ({ name, slips: slipsBetween(sought, wordsOf(name).join(' ')) }))
    .sort((a, b) => a.slips - b.slips);
  const [best] = ranked;
  if (!best || best.slips > Math.max(1, sought.length / 5)) return undefined;
  return aliases.get(best.name) ?? best.name;
}

/** `stratum.shareDifficulty`, `STRATUM_SHARE_DIFFICULTY` and `share-difficulty` are made of the same words. */
function wordsOf(name: string): string[] {
  const parted = /[a-z]/.test(name) ? name.replace(/[A-Z]+/g, (letters) => ` ${letters}`) : name;
  return parted
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

function endsWith(words: readonly string[], ending: readonly string[]): boolean {
  return ending.length > 0 && ending.every((word, i) => words[words.length - ending.length + i] === word);
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

/** Of the settings of a command, or else of all: the nearest by key as `nameOf` writes it, or by flag. */
export function nearestSetting(
  given: string,
  settings: Settings,
  every: Settings,
  nameOf: (key: string) => string = (key) => key,
): string | undefined {
  const among = (table: Settings): string | undefined => {
    const flagged = Object.entries(table).filter(([, { flag }]) => flag !== '');
    const byFlag = new Map(flagged.map(([key, { flag }]) => [flag, nameOf(key)]));
    return nearest(given, Object.keys(table).map(nameOf), byFlag);
  };
  return among(settings) ?? among(every);
}

/** The end of a sentence about a name that is none. */
export function suggestion(meant: string | undefined): string {
  return meant ? `; did you mean ${meant}?` : '; `stratum-bridge config` lists all';
}
