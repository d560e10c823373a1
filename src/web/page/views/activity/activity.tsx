/** What happened to all bridges on the ledger, the latest first, as it comes; and what is wrong or was, with who was told. */
import { Older } from '../../parts/controls/older.js';
import { Segments } from '../../parts/controls/segments.js';
import { Waiting } from '../../parts/waiting.js';
import { hashOf, type Route } from '../../route.js';
import { useSeen } from '../../use/reading.js';
import { count } from '../../words/numbers.js';
import { AlertsTab } from './alerts-tab.js';
import { Days } from './lines.js';
import { useTimeline } from './timeline.js';
import { GroupChoice, SaveEvents, SinceField } from './tools.js';

export function Activity({ route }: { route: Route }) {
  const isAlerts = route.params.get('tab') === 'alerts';
  const open = useSeen().summary?.alerts ?? 0;
  return (
    <>
      <div class="tools">
        <Segments
          label="Activity"
          options={[
            ['', 'Events'],
            ['alerts', open > 0 ? `Alerts · ${count(open)} open` : 'Alerts'],
          ]}
          chosen={isAlerts ? 'alerts' : ''}
          hrefOf={(tab) => hashOf(route.view, { tab })}
        />
        {!isAlerts && <SinceField route={route} />}
        {!isAlerts && <SaveEvents route={route} />}
      </div>
      {isAlerts ? <AlertsTab route={route} /> : <Events route={route} />}
    </>
  );
}

function Events({ route }: { route: Route }) {
  const { lines, next, fault, newest } = useTimeline(route);
  const isPart = ['of', 'since', 'before'].some((name) => route.params.has(name));
  return (
    <>
      <GroupChoice route={route} />
      {/* Said once, where it is new; the list is not read out by itself. */}
      <p class="unseen" role="status">
        {newest}
      </p>
      <Waiting value={lines} fault={fault} />
      {lines && lines.length > 0 && <Days lines={lines} />}
      {lines?.length === 0 && (
        <p>
          {isPart
            ? 'Nothing of this kind, or not since then.'
            : 'Nothing yet. Starts, bans, payouts, and nodes that come and go stand here, with who ordered them.'}
        </p>
      )}
      <Older route={route} label="Pages of events" next={next} />
    </>
  );
}
