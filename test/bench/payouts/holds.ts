/** For how long one piece of work holds the loop: time of the processor of this thread alone, without collections. */
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { threadClock } from '../processors.js';

export interface Hold {
  readonly seconds: number;
  /** The longest piece. */
  readonly heldMs: number;
  /** The same with collections. */
  readonly withCollectionsMs: number;
}

interface Piece {
  readonly fromMs: number;
  readonly toMs: number;
  readonly processorMs: number;
}

/** Shorter ones cannot be the longest. */
const WORTH_MS = 1;
/** Until collections are told of. */
const TOLD_MS = 100;

/** Between two turns of the loop, which turns as often as it can. */
export async function holdOf(act: () => Promise<unknown>): Promise<Hold> {
  const collections: Piece[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      collections.push({ fromMs: startTime, toMs: startTime + duration, processorMs: duration });
  });
  observer.observe({ entryTypes: ['gc'] });
  const pieces: Piece[] = [];
  const threadMs = threadClock();
  let isOver = false;
  const startMs = performance.now();
  const acting = act().finally(() => {
    isOver = true;
  });
  let [fromMs, before] = [startMs, threadMs()];
  while (!isOver) {
    await nextTurn();
    const [toMs, now] = [performance.now(), threadMs()];
    if (now - before > WORTH_MS) pieces.push({ fromMs, toMs, processorMs: now - before });
    [fromMs, before] = [toMs, now];
  }
  const seconds = (performance.now() - startMs) / 1000;
  await acting;
  await pause(TOLD_MS);
  observer.disconnect();
  return {
    seconds,
    heldMs: longest(pieces.map((piece) => piece.processorMs - collectedIn(piece, collections))),
    withCollectionsMs: longest(pieces.map(({ processorMs }) => processorMs)),
  };
}

function collectedIn({ fromMs, toMs }: Piece, collections: readonly Piece[]): number {
  return collections
    .filter((one) => one.fromMs >= fromMs && one.toMs <= toMs)
    .reduce((sum, { processorMs }) => sum + processorMs, 0);
}

function longest(all: readonly number[]): number {
  return all.reduce((most, one) => Math.max(most, one), 0);
}
