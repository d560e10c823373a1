/** What is wrong, above each view: the worst in full, the rest below it when somebody opens it. */
import type { Alerts, Drain } from '../reading/answers.js';
import { useAsked, useNow, useSeen } from '../use/reading.js';
import { ended } from '../words/sentences.js';
import { duration } from '../words/times.js';
import { type AlsoKnown, type Trouble, troublesOf } from '../words/troubles.js';

export function Troubles() {
  const [worst, ...rest] = troublesOf(useSeen(), useAlsoKnown());
  return (
    <div class="troubles">
      {/* Always there, so that what comes into it is read out; ages stand outside, as they change each second. */}
      <div role="status">{worst && <TroubleCard trouble={worst} />}</div>
      {worst?.heardAtMs ? <LastHeard atMs={worst.heardAtMs} /> : null}
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          {rest.map((trouble) => (
            <TroubleCard key={trouble.id} trouble={trouble} />
          ))}
        </details>
      )}
    </div>
  );
}

const ALSO_EVERY_MS = 5_000;
const MOST_ALERTS = 100;

/** Nothing for anonymous users. */
function useAlsoKnown(): AlsoKnown {
  const { isAnonymous } = useSeen();
  const path = `/api/v1/alerts?state=open&limit=${MOST_ALERTS}`;
  const { value } = useAsked<AlsoKnown>(`also ${isAnonymous}`, ALSO_EVERY_MS, async (ask, signal) => {
    if (isAnonymous) return {};
    const [{ alerts, next }, drain] = await Promise.all([
      ask.json<Alerts>(path, signal),
      ask.json<Drain>('/api/v1/drain', signal),
    ]);
    return { alerts, isPart: next !== null, drain };
  });
  return value ?? {};
}

function TroubleCard({ trouble: { kind, title, says } }: { trouble: Trouble }) {
  return (
    <section class={`trouble is-${kind}`}>
      <h2>{title}</h2>
      {says.map((words) => (
        <p key={words}>{ended(words)}</p>
      ))}
    </section>
  );
}

function LastHeard({ atMs }: { atMs: number }) {
  return <p class="aside">Last heard {duration(useNow() - atMs)} ago.</p>;
}
