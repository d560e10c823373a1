/** Many lines of one kind within a minute are one, which opens. Pure functions. */
import type { EventView } from '../../reading/answers.js';
import { BLOCK_STEPS } from '../../words/kinds.js';
import { count } from '../../words/numbers.js';

const MINUTE_MS = 60_000;
/** Fewer stand by themselves. */
const FOLDED_FROM = 4;

/** One line: of a block with all that became of it, the earliest first; else one event. */
export interface Happening {
  readonly key: string;
  readonly steps: readonly [EventView, ...EventView[]];
}

/** @returns the latest first, each where it began. @param lines the latest first. */
export function happeningsOf(lines: readonly EventView[]): Happening[] {
  const found = new Map<string, { key: string; steps: [EventView, ...EventView[]] }>();
  for (const line of lines.toReversed()) {
    const key = blockOf(line) ?? line.key;
    const before = found.get(key);
    if (before) before.steps.push(line);
    else found.set(key, { key, steps: [line] });
  }
  return [...found.values()].reverse();
}

/** The hash of the block whose step it is. */
function blockOf({ kind, facts: { hash } }: EventView): string | undefined {
  return kind in BLOCK_STEPS && typeof hash === 'string' ? hash : undefined;
}

export interface Fold<T> {
  readonly key: string;
  readonly items: readonly [T, ...T[]];
}

/** A fold stands where its first item stood. @param kindOf what is alike, of one minute, is folded. */
export function folded<T>(
  items: readonly T[],
  of: { time(item: T): string; kind(item: T): string; key(item: T): string },
): Fold<T>[] {
  const minute = (item: T): string => `${Math.floor(Date.parse(of.time(item)) / MINUTE_MS)} ${of.kind(item)}`;
  const alike = grouped(items, minute);
  const isMany = (item: T): boolean => (alike.get(minute(item))?.length ?? 0) >= FOLDED_FROM;
  return items.flatMap((item): Fold<T>[] => {
    if (!isMany(item)) return [{ key: of.key(item), items: [item] }];
    const all = alike.get(minute(item)) ?? [];
    return all[0] === item ? [{ key: minute(item), items: all as [T, ...T[]] }] : [];
  });
}

/** Of blocks by the step that they begin with: what is on the page before has its own numbers. */
export function foldedHappenings(lines: readonly EventView[]): Fold<Happening>[] {
  return folded(happeningsOf(lines), {
    time: ({ steps: [{ time }] }) => time,
    kind: ({ steps: [{ kind }] }) => kind,
    key: ({ key }) => key,
  });
}

/** `131 blocks found, 127 accepted, 96 confirmed`: what became of those that are folded. */
export function blocksWords(happenings: readonly Happening[]): string {
  const kinds = happenings.flatMap(({ steps }) => steps.map(({ kind }) => kind));
  return Object.entries(BLOCK_STEPS)
    .map(([kind, words]) => ({ words, times: kinds.filter((each) => each === kind).length }))
    .filter(({ times }) => times > 0)
    .map(({ words, times }, i) => `${count(times)}${i === 0 ? ' blocks' : ''} ${words}`)
    .join(', ');
}

/** Each day by its first moment for who looks, in the order of what is in them. */
export function byDay<T>(folds: readonly Fold<T>[], timeOf: (item: T) => string): [number, Fold<T>[]][] {
  return [...grouped(folds, ({ items: [first] }) => new Date(timeOf(first)).setHours(0, 0, 0, 0))];
}

function grouped<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
