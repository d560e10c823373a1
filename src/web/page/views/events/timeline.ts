/** The lines that are shown: those of the ledger, and on the first page what the stream tells that the ledger does not have yet. */
import { useEffect, useState } from 'preact/hooks';
import type { EventView } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { useAsked, useReading } from '../../use/reading.js';
import { KIND_GROUPS, type KindGroup } from '../../words/kinds.js';

interface Timeline {
  /** `undefined` while nothing is known. */
  readonly lines: readonly EventView[] | undefined;
  readonly next: string | null | undefined;
  readonly fault: string | undefined;
  /** What has happened last while somebody looked on. */
  readonly newest: string;
}

interface EventList {
  readonly events: readonly EventView[];
  readonly next: number | null;
}

const EVERY_MS = 10_000;
const PAGE_ROWS = 50;
/** Of those that the stream has told. */
const MOST_TOLD = 200;

export function useTimeline({ params }: Route): Timeline {
  const group = KIND_GROUPS.find(({ name }) => name === params.get('of'));
  const since = timeOf(params.get('since') ?? '');
  const before = params.get('before') ?? '';
  const query = new URLSearchParams({ limit: String(PAGE_ROWS) });
  if (group) query.set('kind', group.kinds.join(','));
  if (since) query.set('since', since.toISOString());
  if (before !== '') query.set('before', before);
  const { value, isOld, fault } = useAsked<EventList>(`${query}`, EVERY_MS, (ask, signal) =>
    ask.json(`/api/v1/events?${query}`, signal),
  );
  const told = useTold();
  const fitting = before === '' ? told.filter((line) => fits(line, group, since)) : [];
  const kept = isOld ? undefined : value;
  const isKnown = kept !== undefined || fitting.length > 0;
  return {
    lines: isKnown ? merged(fitting, kept?.events ?? []) : undefined,
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

function fits({ kind, time }: EventView, group: KindGroup | undefined, since: Date | undefined): boolean {
  return (!group || group.kinds.includes(kind)) && (!since || Date.parse(time) >= since.getTime());
}

/** What the ledger has is whole, and in its order; the rest is newer. */
export function merged(told: readonly EventView[], kept: readonly EventView[]): readonly EventView[] {
  const known = new Set(kept.map(({ key }) => key));
  const oldest = kept.at(-1)?.time ?? '';
  return [...told.filter(({ key, time }) => !known.has(key) && time >= oldest), ...kept];
}

/** Somebody may have typed anything into the address. */
function timeOf(text: string): Date | undefined {
  const time = new Date(text);
  return text === '' || Number.isNaN(time.getTime()) ? undefined : time;
}
