import { Age } from '../../parts/figures/age.js';
import type { EventView } from '../../reading/answers.js';
import { kindWords } from '../../words/kinds.js';

export function EventLine({ line: { time, kind, says, by, instance, facts } }: { line: EventView }) {
  const { address } = facts;
  const about = [
    kindWords(kind),
    instance !== null && `bridge ${instance}`,
    by !== null && `by ${by}`,
    typeof address === 'string' && address !== '' && address,
  ].filter(Boolean);
  return (
    <li>
      <span class="long">{says}</span>
      <span class="aside long">
        <Age at={time} />, {about.join(', ')}
      </span>
    </li>
  );
}
