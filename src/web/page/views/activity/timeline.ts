/** The lines that are shown: those of the ledger, and on the first page what the stream tells that the ledger does not have yet. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { EventView } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { useAnswer, useReading } from '../../use/reading.js';
import { KIND_GROUPS, type KindGroup } from '../../words/kinds.js';

interface Timeline {
  /** `undefined` while nothing is known. */
  readonly lines: readonly EventView[] | undefined;
  readonly next: string | null | undefined;
  readonly fault: string | undefined;
  /** What has happened last while somebody looked on. */
  readonly newest: string;
}

export interface EventList {
  readonly events: readonly EventView[];
  readonly next: number | null;
}

const EVERY_MS = 10_000;
const PAGE_ROWS = 400;
/** Of those that the stream has told. */
const MOST_TOLD = 200;

/** Somebody may have typed anything. */
export function groupIn({ params }: Route): KindGroup {
  const chosen = KIND_GROUPS.find(({ name }) => name === params.get('of'));
  return chosen ?? (KIND_GROUPS[0] as KindGroup);
}

/** What the address asks for. @param before empty for the latest ones. */
export function eventsQuery(route: Route, limit: number, before: string): URLSearchParams {
  const { kinds } = groupIn(route);
  const since = sinceIn(route);
  const query = new URLSearchParams({ limit: String(limit) });
  if (kinds) query.set('kind', kinds.join(','));
  if (since) query.set('since', since.toISOString());
  if (before !== '') query.set('before', before);
  return query;
}

export function useTimeline(route: Route): Timeline {
  const before = route.params.get('before') ?? '';
  const query = eventsQuery(route, PAGE_ROWS, before);
  const { value, isOld, fault } = useAnswer<EventList>(`/api/v1/events?${query}`, EVERY_MS);
  const told = useTold();
  const kept = isOld ? undefined : value;
  const fitting = useMemo(
    () => (before === '' ? told.filter((line) => fits(line, groupIn(route), sinceIn(route))) : []),
    [told, `${query}`],
  );
  const lines = useMemo(
    () => (kept || fitting.length > 0 ? merged(fitting, kept?.events ?? []) : undefined),
    [kept, fitting],
  );
  return {
    lines,
    next: kept?.next === undefined || kept.next === null ? kept?.next : String(kept.next),
    fault,
    newest: (fitting[0] === told[0] && told[0]?.says) || '',
  };
}

/** The latest first. */
function useTold(): readonly EventView[] {
  const { feed } = useReading();
  const [told, setTold] = useState<readonly EventView[]>([]);
  useEffect(() => feed.onEvent((line) => setTold((before) => [line, ...before].slice(0, MOST_TOLD))), [feed]);
  return told;
}

function fits({ kind, time }: EventView, { kinds }: KindGroup, since: Date | undefined): boolean {
  return (!kinds || kinds.includes(kind)) && (!since || Date.parse(time) >= since.getTime());
}

/** What the ledger has is whole, and in its order; the rest is newer. */
export function merged(told: readonly EventView[], kept: readonly EventView[]): readonly EventView[] {
  const known = new Set(kept.map(({ key }) => key));
  const oldest = kept.at(-1)?.time ?? '';
  return [...told.filter(({ key, time }) => !known.has(key) && time >= oldest), ...kept];
}

function sinceIn({ params }: Route): Date | undefined {
  const text = params.get('since') ?? '';
  const time = new Date(text);
  return text === '' || Number.isNaN(time.getTime()) ? undefined : time;
}
