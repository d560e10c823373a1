/** Which part of all submits was rejected, in digits and as a bar; why, where the pointer rests. */
import { count, percent } from '../../words/numbers.js';
import { type Outcomes, outcomeWords, timesIn } from '../../words/outcomes.js';
import { NONE } from '../none.js';

interface SharesBarProps {
  readonly accepted: number;
  readonly rejected: Outcomes;
}

/** What is rejected at all is seen. */
const LEAST_WIDTH = 4;

export function SharesBar({ accepted, rejected }: SharesBarProps) {
  const times = timesIn(rejected);
  const all = accepted + times;
  if (all === 0) return NONE;
  const reasons = outcomeWords(rejected);
  const width = times === 0 ? 0 : Math.max(LEAST_WIDTH, (100 * times) / all);
  return (
    <span class="shares" title={[`${count(accepted)} accepted`, reasons].filter(Boolean).join(', ')}>
      {percent(times, all)}
      <svg class="shares-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="1" class="ink-good" />
        <rect x={100 - width} width={width} height="1" class="ink-fault" />
      </svg>
      <span class="unseen">{reasons}</span>
    </span>
  );
}
