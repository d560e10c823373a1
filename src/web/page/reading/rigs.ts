/** Which rigs are shown: the bridge searches and sorts them, and gives a page at a time. */
import type { Order, RigSort, RigState } from '../../../operations/enums.js';
import type { Rig, RigList } from './answers.js';
import type { Ask } from './ask.js';

export const PAGE_ROWS = 100;
/** As many as the API gives at a time. */
const MOST_ROWS = 1_000;
/** States that somebody should look at, the first first. */
export const UNWELL: readonly RigState[] = ['idle', 'offline', 'banned'];
/** Of each kind, above all others. */
const MOST_UNWELL = 5;

export interface RigQuery {
  readonly q: string;
  /** Empty for all of them, as is `account`. */
  readonly state: RigState | '';
  readonly account: string;
  /** Empty: what needs a look, then the fastest. */
  readonly sort: RigSort | '';
  readonly order: Order;
  /** From 0. */
  readonly page: number;
}

export const ALL_RIGS: RigQuery = {
  ...{ q: '', state: '', account: '' },
  ...{ sort: '', order: 'desc', page: 0 },
};

/** Some are left out. */
export function isPart({ q, state, account }: RigQuery): boolean {
  return q.trim() !== '' || state !== '' || account !== '';
}

export function rigsPath(query: RigQuery, offset: number, limit: number): string {
  const { q, state, account, sort, order } = query;
  const sorted = sort === '' ? {} : { sort, order };
  const given = { q: q.trim(), state, account, ...sorted, offset: String(offset), limit: String(limit) };
  const set = Object.entries(given).filter(([, value]) => value !== '');
  return `/api/v1/rigs?${new URLSearchParams(set)}`;
}

/** Above the fastest, on their first page, those that fell silent last; they are not told a second time there. */
export async function askForPage(ask: Ask, query: RigQuery, signal: AbortSignal): Promise<RigList> {
  const page = ask.json<RigList>(rigsPath(query, query.page * PAGE_ROWS, PAGE_ROWS), signal);
  if (query.sort !== '' || query.state !== '' || query.page > 0) return page;
  const unwell = (state: RigState): Promise<RigList> =>
    ask.json(rigsPath({ ...query, state, sort: 'lastShare' }, 0, MOST_UNWELL), signal);
  const [list, ...lists] = await Promise.all([page, ...UNWELL.map(unwell)]);
  const rigs = [...lists, list].flatMap((each) => each.rigs);
  return { ...list, rigs: [...new Map(rigs.map((rig) => [keyOf(rig), rig])).values()] };
}

/** All that are found, as a table for spreadsheets. Those that come or go meanwhile may be missed or come twice. */
export async function askForTable(ask: Ask, query: RigQuery, signal: AbortSignal): Promise<string> {
  const parts: string[] = [];
  for (let offset = 0; ; offset += MOST_ROWS) {
    const response = await ask.open(rigsPath(query, offset, MOST_ROWS), signal, 'text/csv');
    const text = await response.text();
    // Names of columns stand above the first part alone.
    parts.push(offset === 0 ? text : text.slice(text.indexOf('\n') + 1));
    if (offset + MOST_ROWS >= Number(response.headers.get('x-total-count'))) return parts.join('');
  }
}

/** Windows of a rate, in the order of the API: the last one is shorter for a rig that came less than a day ago. */
const WINDOWS = ['rate1', 'rate5', 'rate15', 'rate60', 'rate1440'] as const;

export function rateOf(rig: Rig, window: (typeof WINDOWS)[number]): Rig['hashRates'][number] | undefined {
  return rig.hashRates[WINDOWS.indexOf(window)];
}

/** An account has no dot. */
export function keyOf({ account, rig }: Rig): string {
  return `${account}.${rig}`;
}
