/** What happened to all bridges on the ledger, the latest first, as it comes. */
import { Choice } from '../../parts/controls/choice.js';
import { Older } from '../../parts/controls/older.js';
import { Waiting } from '../../parts/waiting.js';
import { hashOf, type Route } from '../../route.js';
import { replaceHash } from '../../use/route.js';
import { KIND_GROUPS } from '../../words/kinds.js';
import { EventLine } from './event-line.js';
import { useTimeline } from './timeline.js';

const OPTIONS = [
  ['', 'Everything'],
  ...KIND_GROUPS.map(({ name, words }) => [name, words] as const),
] as const;

export function Events({ route }: { route: Route }) {
  const { lines, next, fault, newest } = useTimeline(route);
  return (
    <>
      <div class="tools">
        <Choice route={route} name="of" label="Show" options={OPTIONS} />
        <SinceField route={route} />
      </div>
      {/* Said once, where it is new; ages tick in the list, which is not read out by itself. */}
      <p class="unseen" role="status">
        {newest}
      </p>
      <Waiting value={lines} fault={fault} />
      {lines && lines.length > 0 && (
        <ol class="card events">
          {lines.map((line) => (
            <EventLine key={line.key} line={line} />
          ))}
        </ol>
      )}
      {lines?.length === 0 && (
        <p>
          {[...route.params.keys()].length > 0
            ? 'Nothing of this kind, or not since then.'
            : 'Nothing yet. Starts, blocks, bans, payouts, and nodes that come and go stand here, with who ordered them.'}
        </p>
      )}
      <Older route={route} label="Pages of events" next={next} />
    </>
  );
}

/** In the time of who looks. */
function SinceField({ route: { view, params } }: { route: Route }) {
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
