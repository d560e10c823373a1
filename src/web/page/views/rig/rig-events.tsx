/** What happened to a rig, the latest first. */

import { Card } from '../../parts/card.js';
import { Age } from '../../parts/figures/age.js';
import type { EventView } from '../../reading/answers.js';
import { useAsked } from '../../use/reading.js';

const SHOWN = 10;
const EVERY_MS = 5_000;

export function RigEvents({ login }: { login: string }) {
  const query = new URLSearchParams({ login, limit: String(SHOWN) });
  const asked = useAsked<{ events: readonly EventView[] }>(`${query}`, EVERY_MS, (ask, signal) =>
    ask.json(`/api/v1/events?${query}`, signal),
  );
  const events = asked.value?.events;
  return (
    <Card id="rig-events" title="Recent activity" asked={asked}>
      {events?.length === 0 && (
        <p>Nothing yet that the timeline keeps: blocks that it finds, orders to it, bans and alerts.</p>
      )}
      <ul class="nodes">
        {events?.map(({ key, says, time, by }) => (
          <li key={key}>
            <span class="long">{says}</span>
            <span class="aside">
              <Age at={time} />
              {by !== null && `, by ${by}`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
