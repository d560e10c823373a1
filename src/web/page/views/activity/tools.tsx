/** What is shown of the timeline, kept in the address; and as a file. */
import { SaveTable } from '../../parts/controls/save-table.js';
import { Segments } from '../../parts/controls/segments.js';
import type { EventView } from '../../reading/answers.js';
import type { Ask } from '../../reading/ask.js';
import { hashOf, type Route } from '../../route.js';
import { replaceHash } from '../../use/route.js';
import { csv } from '../../words/csv.js';
import { KIND_GROUPS } from '../../words/kinds.js';
import { type EventList, eventsQuery, groupIn } from './timeline.js';

export function GroupChoice({ route }: { route: Route }) {
  const { before: _, ...others } = Object.fromEntries(route.params);
  return (
    <Segments
      label="Kinds of events"
      options={KIND_GROUPS.map(({ name, words }) => [name, words] as const)}
      chosen={groupIn(route).name}
      hrefOf={(of) => hashOf(route.view, { ...others, of })}
    />
  );
}

/** In the time of who looks. */
export function SinceField({ route: { view, params } }: { route: Route }) {
  const change = (since: string): void =>
    replaceHash(hashOf(view, { ...Object.fromEntries(params), before: '', since }));
  return (
    <label class="choice">
      Since{' '}
      <input
        type="datetime-local"
        value={params.get('since') ?? ''}
        onChange={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
}

export function SaveEvents({ route }: { route: Route }) {
  return <SaveTable name="events.csv" read={(ask, signal) => askForEvents(ask, route, signal)} />;
}

/** As many as the API gives at a time. */
const ROWS = 1_000;
const HEAD = ['time', 'kind', 'says', 'by', 'bridge', 'key'];

async function askForEvents(ask: Ask, route: Route, signal: AbortSignal): Promise<string> {
  const lines: EventView[] = [];
  let before: string | null = '';
  while (before !== null) {
    const query = eventsQuery(route, ROWS, before);
    const { events, next }: EventList = await ask.json(`/api/v1/events?${query}`, signal);
    lines.push(...events);
    before = next === null ? null : String(next);
  }
  const rows = lines.map(({ time, kind, says, by, instance, key }) => [time, kind, says, by, instance, key]);
  return csv([HEAD, ...rows]);
}
