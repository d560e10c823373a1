/** Which rigs are shown. The bridge gives them fastest first; every other order, and a search, is made of the whole list here. */
import type { Rig, RigList } from './answers.js';
import type { Ask } from './ask.js';

export const PAGE_ROWS = 100;
/** As many as the API gives at a time. */
const SLICE_ROWS = 1_000;
/** What a page still puts in order in the time between two pictures; there is a sentence for rigs beyond. */
export const MOST_RIGS = 20_000;

export const RIG_COLUMNS = [
  'rig',
  'account',
  'state',
  'rate1',
  'rate5',
  'rate60',
  'sessions',
  'lastShare',
] as const;
export type RigColumn = (typeof RIG_COLUMNS)[number];

export interface RigQuery {
  readonly q: string;
  readonly sort: RigColumn;
  readonly order: 'asc' | 'desc';
  /** From 0. */
  readonly page: number;
}

export const FASTEST_FIRST: RigQuery = { q: '', sort: 'rate5', order: 'desc', page: 0 };

/** As many windows as a rate has columns, in the order of the API. */
const WINDOW_OF: Partial<Record<RigColumn, number>> = { rate1: 0, rate5: 1, rate60: 3 };

export function rateOf(rig: Rig, column: RigColumn): Rig['hashRates'][number] | undefined {
  return rig.hashRates[WINDOW_OF[column] ?? -1];
}

/** The bridge has this order already. */
export function isGiven({ q, sort, order }: RigQuery): boolean {
  return q === '' && sort === FASTEST_FIRST.sort && order === FASTEST_FIRST.order;
}

export function askForPage(ask: Ask, page: number, signal: AbortSignal): Promise<RigList> {
  return ask.json(`/api/v1/rigs?offset=${page * PAGE_ROWS}&limit=${PAGE_ROWS}`, signal);
}

/** All of them, a slice after the other; those that come or go meanwhile may be missed or come twice. */
export async function askForAll(ask: Ask, signal: AbortSignal): Promise<RigList> {
  const rigs = new Map<string, Rig>();
  for (let offset = 0; ; offset += SLICE_ROWS) {
    const slice: RigList = await ask.json(`/api/v1/rigs?offset=${offset}&limit=${SLICE_ROWS}`, signal);
    for (const rig of slice.rigs) rigs.set(keyOf(rig), rig);
    const isWhole = offset + SLICE_ROWS >= slice.total || slice.rigs.length === 0;
    if (isWhole || offset + SLICE_ROWS >= MOST_RIGS)
      return { total: slice.total, offset: 0, limit: rigs.size, rigs: [...rigs.values()] };
  }
}

/** An account has no dot. */
export function keyOf({ account, rig }: Rig): string {
  return `${account}.${rig}`;
}

/** Those that are searched for, in the order that is asked for. */
export function arranged(rigs: readonly Rig[], { q, sort, order }: RigQuery): readonly Rig[] {
  const wanted = q.trim().toLowerCase();
  const found = wanted === '' ? [...rigs] : rigs.filter((rig) => keyOf(rig).toLowerCase().includes(wanted));
  const sign = order === 'asc' ? 1 : -1;
  return found.sort((a, b) => sign * compare(a, b, sort) || compareText(keyOf(a), keyOf(b)));
}

function compare(a: Rig, b: Rig, column: RigColumn): number {
  if (column === 'rig' || column === 'account' || column === 'state')
    return compareText(a[column], b[column]);
  // ISO 8601, all of one length.
  if (column === 'lastShare') return compareText(a.lastShareAt ?? '', b.lastShareAt ?? '');
  if (column === 'sessions') return a.sessions - b.sessions;
  return (rateOf(a, column)?.hashesPerSecond ?? 0) - (rateOf(b, column)?.hashesPerSecond ?? 0);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
