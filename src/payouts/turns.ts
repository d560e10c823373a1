/** Long work in small pieces: whoever else is in this process, rigs above all, has its turn in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** As `map`, so many at a time. */
export async function mapInTurns<T, R>(
  all: readonly T[],
  atATime: number,
  map: (one: T, index: number) => R,
): Promise<R[]> {
  const mapped: R[] = [];
  for (const [i, one] of all.entries()) {
    if (i > 0 && i % atATime === 0) await nextTurn();
    mapped.push(map(one, i));
  }
  return mapped;
}

/** What a generator gives last, where nobody else is waiting. */
export function atOnce<R>(work: Generator<unknown, R>): R {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** What a generator gives last: others have their turn wherever it yields. */
export async function inTurns<R>(work: Generator<unknown, R>): Promise<R> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}

/** Runs what it is given one after the other, in the order of the calls, whatever becomes of those before. */
export function inOrder(): <R>(work: () => Promise<R>) => Promise<R> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work, work);
    last = turn;
    return turn;
  };
}
