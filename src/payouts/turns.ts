/** Long work in small pieces: whoever else is in this process, rigs above all, has its turn in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Questions to nodes under way at a time. */
const AT_ONCE = 8;

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

/**
 * So many at a time, so that a node far away does not hold up all others; none begins once one has failed. No two begin in the same turn of the loop: signatures are checked, and rigs of
 * this process wait for as long.
 */
export async function eachOf<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const oneByOne = inOrder();
  let isOver = false;
  const next = async (): Promise<void> => {
    for (const one of rest) {
      await oneByOne(nextTurn);
      if (isOver) return;
      await act(one);
    }
  };
  const workers = Array.from({ length: Math.min(AT_ONCE, all.length) }, next);
  await Promise.all(workers).finally(() => {
    isOver = true;
  });
}
