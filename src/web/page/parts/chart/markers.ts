/** Blocks of a chart: each by itself where they are few, and how many a step where they are many. */
import type { Blocks, History } from '../../reading/answers.js';
import { blockWords } from '../../words/blocks.js';
import { counted } from '../../words/numbers.js';
import { type Marker, middleOf, stepsOf } from './drawing.js';

/**
 * @param single the latest ones.
 * @param counts history of `blocks`, for when they do not reach back to the beginning.
 * @returns in the order of time, none from before `fromMs`.
 */
export function markersOf(
  single: Blocks | undefined,
  counts: History | undefined,
  fromMs: number,
): readonly Marker[] {
  const each = (single?.blocks ?? []).map((block) => ({
    atMs: Date.parse(block.foundAt),
    count: 1,
    says: blockWords(block),
  }));
  const isWhole = single?.next === null || each.some(({ atMs }) => atMs < fromMs);
  const markers = isWhole ? each.reverse() : counts ? countMarkers(counts) : [];
  return markers.filter(({ atMs }) => atMs >= fromMs);
}

function countMarkers(counts: History): Marker[] {
  const steps = stepsOf(counts);
  const orphaned = counts.others['orphaned'];
  return counts.values.flatMap((count, i) => {
    if (!count) return [];
    const left = orphaned?.[i] ? `, ${orphaned[i]} of them orphaned` : '';
    return [{ atMs: middleOf(steps, i), count, says: `${counted(count, 'block')}${left}` }];
  });
}

/** Room that a block needs for a flag of its own, in pixels. */
const FLAG_ROOM = 20;

/** They say nothing one by one. @param width of the drawing in pixels. */
export function areMany(markers: readonly Marker[], width: number): boolean {
  return FLAG_ROOM * markers.reduce((sum, { count }) => sum + count, 0) > width;
}

interface Flag {
  /** In pixels. */
  readonly x: number;
  readonly count: number;
}

/** Flags that would stand on each other are one, with the number of all. @param apart from the left in pixels. */
export function clustered(flags: readonly Flag[], apart: number): readonly Flag[] {
  const clusters: { x: number; count: number }[] = [];
  for (const { x, count } of flags) {
    const last = clusters.at(-1);
    if (last && x - last.x < apart) last.count += count;
    else clusters.push({ x, count });
  }
  return clusters;
}
