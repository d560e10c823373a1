/** What several fronts have of one rig or account, made one row. */
import {
  type AccountPart,
  type LoginKeys,
  type RigPart,
  type RigPartDetail,
  SORT_KINDS,
  type SortKind,
} from '../../bridge/fleet/watch.js';
import {
  type AccountReport,
  RIG_STATES,
  type RigDetail,
  type RigReport,
  type RigSort,
  type RigState,
} from '../../bridge/watch/rig-watch.js';
import { addMeasured, ratesOf } from '../../core/shares/hash-rate.js';
import type { Rejection } from '../../core/shares/share.js';

/** What is sorted by, of one rig or account. */
export interface Row {
  readonly account: string;
  readonly rig: string;
  state: number;
  value: number;
  seconds: number;
  text: string;
  rank: number;
  /** Those that have it. */
  readonly fronts: number[];
}

/** Of all sessions of one rig at the most. */
const MAX_SESSIONS = 1000;
const CONNECTED: ReadonlySet<RigState> = new Set(['online', 'idle']);

/** The entry of that place, as `front` has it. */
export function rowOf(keys: LoginKeys, at: number, front: number): Row {
  return {
    account: keys.accounts[at] ?? '',
    rig: keys.rigs[at] ?? '',
    state: keys.states[at] ?? 0,
    value: keys.values[at] ?? 0,
    seconds: keys.seconds[at] ?? 0,
    text: keys.texts[at] ?? '',
    rank: keys.ranks[at] ?? 0,
    fronts: [front],
  };
}

/** Adds what another front has of it. */
export function addTo(row: Row, more: Row, kind: SortKind): void {
  row.state = RIG_STATES.indexOf(liveliest([row, more].map(stateOf)));
  if (kind === 'newest' && more.rank > row.rank) {
    row.value = more.value;
    row.text = more.text;
  } else if (kind !== 'newest') row.value = added(row.value, more.value, kind);
  row.seconds = kind === 'part' ? row.seconds + more.seconds : Math.max(row.seconds, more.seconds);
  row.rank = Math.max(row.rank, more.rank);
  row.fronts.push(...more.fronts);
}

function stateOf({ state, rank }: Row): { state: RigState; rank: number } {
  return { state: RIG_STATES[state] ?? 'offline', rank };
}

function added(a: number, b: number, kind: Exclude<SortKind, 'newest'>): number {
  switch (kind) {
    case 'rate':
    case 'part':
    case 'sum':
      return a + b;
    case 'most':
      return Math.max(a, b);
    case 'least':
      return a === 0 || b === 0 ? a + b : Math.min(a, b);
    case 'name':
    case 'state':
      return 0;
  }
}

/** What two rows are compared by. */
export type SortKey = number | string;

export function sortKeyOf(row: Row, sort: RigSort): SortKey {
  const { account, state, value, seconds, text } = row;
  if (sort === 'agent') return text.toLowerCase();
  if (sort === 'account') return account.toLowerCase();
  switch (SORT_KINDS[sort]) {
    case 'name':
      // As one server has it: with the dot, also where there is no name.
      return loginKey(row).toLowerCase();
    case 'state':
      return state;
    case 'rate':
      return value / Math.max(1, seconds);
    case 'part':
      return value === 0 ? 0 : value / (value + seconds);
    default:
      return value;
  }
}

export function loginKey({ account, rig }: Pick<Row, 'account' | 'rig'>): string {
  return `${account}.${rig}`;
}

/** Of those that are connected the liveliest; otherwise what it is where it was last. */
function liveliest(parts: readonly { readonly state: RigState; readonly rank: number }[]): RigState {
  const states = parts.map(({ state }) => state);
  const connected = RIG_STATES.find((state) => CONNECTED.has(state) && states.includes(state));
  return connected ?? newestOf(parts)?.state ?? 'offline';
}

function newestOf<T extends { readonly rank: number }>(parts: readonly T[]): T | undefined {
  return parts.reduce<T | undefined>(
    (best, part) => (best && best.rank >= part.rank ? best : part),
    undefined,
  );
}

/** Of one rig. @param parts at least one. */
export function rigOf(parts: readonly RigPart[]): RigReport {
  const newest = newestOf(parts);
  if (!newest) throw new RangeError('a rig that no front has');
  const { rank: _, measured: __, ...facts } = newest;
  const sum = (of: (part: RigPart) => number): number => parts.reduce((all, part) => all + of(part), 0);
  const defined = (of: (part: RigPart) => number | undefined): number[] =>
    parts.flatMap((part) => of(part) ?? []);
  return {
    ...facts,
    label: parts.find(({ label }) => label !== undefined)?.label,
    orderedDifficulty: parts.find((part) => part.orderedDifficulty !== undefined)?.orderedDifficulty,
    state: liveliest(parts),
    sessions: sum(({ sessions }) => sessions),
    connectedAtMs: lowest(defined(({ connectedAtMs }) => connectedAtMs)),
    hashRates: ratesOf(addMeasured(parts.map(({ measured }) => measured))),
    accepted: sum(({ accepted }) => accepted),
    rejections: rejectionsOf(parts),
    bestShare: Math.max(...parts.map(({ bestShare }) => bestShare)),
    lastShareAtMs: highest(defined(({ lastShareAtMs }) => lastShareAtMs)),
  };
}

function lowest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}

function highest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.max(...times);
}

function rejectionsOf(parts: readonly RigPart[]): RigReport['rejections'] {
  const sums: Partial<Record<Rejection, number>> = {};
  for (const { rejections } of parts)
    for (const [reason, count] of Object.entries(rejections) as [Rejection, number][])
      sums[reason] = (sums[reason] ?? 0) + count;
  return sums;
}

/** `undefined` where no front has it. */
export function detailOf(parts: readonly RigPartDetail[]): RigDetail | undefined {
  if (parts.length === 0) return undefined;
  const sessions = parts.flatMap((part) => part.sessions).sort((a, b) => b.openedAtMs - a.openedAtMs);
  return { rig: rigOf(parts.map(({ rig }) => rig)), sessions: sessions.slice(0, MAX_SESSIONS) };
}

/** Of one account. @param parts at least one. */
export function accountOf(account: string, parts: readonly AccountPart[], sessions: number): AccountReport {
  return {
    account,
    sessions,
    hashRates: ratesOf(addMeasured(parts.map(({ measured }) => measured))),
    lastShareAtMs: Math.max(...parts.map(({ lastShareAtMs }) => lastShareAtMs)),
  };
}

/** By login. */
export function byLogin<T extends Pick<Row, 'account' | 'rig'>>(parts: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const part of parts) {
    const key = loginKey(part);
    const group = groups.get(key);
    if (group) group.push(part);
    else groups.set(key, [part]);
  }
  return groups;
}
