/**
 * Work on lists of very many, a slice at a time: between two slices the event loop serves rigs. The order is that of the
 * list, and who asks has it some turns later.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Items that are looked at, compared or moved between two turns of the event loop: some tenths of a millisecond. */
export const SLICE = 500;

/** Without those that are `undefined`. @param items that do not change meanwhile. */
export async function mapped<A, B>(
  items: readonly A[],
  map: (item: A) => B | undefined,
): Promise<readonly B[]> {
  const result: B[] = [];
  for (const [i, item] of items.entries()) {
    if (i % SLICE === SLICE - 1) await nextTurn();
    const value = map(item);
    if (value !== undefined) result.push(value);
  }
  return result;
}

export async function sorted<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<readonly T[]> {
  let runs: T[] = [];
  for (let from = 0; from < items.length; from += SLICE) {
    if (from > 0) await nextTurn();
    runs.push(...items.slice(from, from + SLICE).sort(compare));
  }
  for (let length = SLICE; length < runs.length; length *= 2) runs = await merged(runs, length, compare);
  return runs;
}

/** Runs of twice the length, of runs that are sorted. */
async function merged<T>(runs: readonly T[], length: number, compare: (a: T, b: T) => number): Promise<T[]> {
  const result: T[] = [];
  for (let from = 0; from < runs.length; from += 2 * length) {
    const middle = Math.min(from + length, runs.length);
    const end = Math.min(from + 2 * length, runs.length);
    let [left, right] = [from, middle];
    while (left < middle || right < end) {
      const isLeft = right === end || (left < middle && compare(runs[left] as T, runs[right] as T) <= 0);
      result.push(runs[isLeft ? left++ : right++] as T);
      if (result.length % SLICE === 0) await nextTurn();
    }
  }
  return result;
}
