/** What changed about a rig, the latest first. Its blocks are counted elsewhere. */
import { EVENT_GROUPS } from '../../../../operations/enums.js';
import { Card } from '../../parts/card.js';
import { Age } from '../../parts/figures/age.js';
import type { EventView } from '../../reading/answers.js';
import { useAnswer } from '../../use/reading.js';
import { shortName } from '../../words/names.js';
import { endedSentence } from '../../words/sentences.js';

const SHOWN = 10;
const KINDS = [...EVENT_GROUPS.rigs, ...EVENT_GROUPS.alerts].join(',');

export function RigEvents({ login, name }: { login: string; name: string }) {
  const query = new URLSearchParams({ login, kind: KINDS, limit: String(SHOWN) });
  const asked = useAnswer<{ events: readonly EventView[] }>(`/api/v1/events?${query}`);
  const events = asked.value?.events;
  return (
    <Card id="rig-events" title="Recent activity" asked={asked}>
      {events?.length === 0 && <p>Nothing yet: bans, labels, other orders to it and alerts stand here.</p>}
      <ul class="rows">
        {events?.map(({ key, says, time, by }) => (
          <li key={key}>
            {/* Whose page it is need not be said in 64 digits. */}
            <bdi>{endedSentence(says.replaceAll(login, shortName(name)))}</bdi>{' '}
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
