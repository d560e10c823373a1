/** How all is, in a line: what the eye takes in first. What is out of its bounds is loud, and the rest is quiet. */
import { Age, Until } from '../../parts/figures/age.js';
import type { Blocks, Summary } from '../../reading/answers.js';
import { usePool } from '../../use/pool.js';
import { useSeen } from '../../use/reading.js';
import { milliseconds, percent } from '../../words/numbers.js';
import { outcomeWords } from '../../words/outcomes.js';

/** Below it somebody should look. */
const ACCEPTED_LEAST = 0.97;
/** In which a fresh job should be at nearly all rigs. */
const FRESH_MOST_MS = 500;

export function StateLine({ blocks }: { blocks: Blocks | undefined }) {
  const { summary } = useSeen();
  const { terms } = usePool();
  if (!summary) return null;
  const last = blocks?.blocks[0];
  return (
    <p class="state-line">
      {last && (
        <span class="chip">
          Last block <Age at={last.foundAt} />
        </span>
      )}
      {terms?.nextPayoutAt && (
        <span class="chip">
          Next payout <Until at={terms.nextPayoutAt} />
        </span>
      )}
      <Accepted summary={summary} />
      <Fresh summary={summary} />
    </p>
  );
}

function Accepted({ summary: { submits } }: { summary: Summary }) {
  const { accepted = 0 } = submits;
  const all = Object.values(submits).reduce((sum, each) => sum + (each ?? 0), 0);
  if (all === 0) return <span class="chip">No shares yet</span>;
  const look = accepted / all < ACCEPTED_LEAST ? 'is-warning' : '';
  return (
    <span class={`chip ${look}`} title={outcomeWords(submits)}>
      {percent(accepted, all)} of shares accepted
    </span>
  );
}

function Fresh({ summary: { freshness } }: { summary: Summary }) {
  const { delayMs, jobs } = freshness;
  if (jobs === 0) return null;
  return (
    <span
      class={`chip ${delayMs.p99 > FRESH_MOST_MS ? 'is-warning' : ''}`}
      title={`From New Cut to the last rig; 99th percentile ${milliseconds(delayMs.p99)}`}
    >
      Median job delay {milliseconds(delayMs.p50)}
    </span>
  );
}
