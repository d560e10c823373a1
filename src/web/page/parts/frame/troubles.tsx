/** What is wrong: the worst in full, the rest below it; or the worst alone, in a line. */
import { useNow } from '../../use/reading.js';
import { ended } from '../../words/sentences.js';
import { duration } from '../../words/times.js';
import type { Trouble } from '../../words/troubles.js';

interface TroublesProps {
  /** The worst first. */
  readonly troubles: readonly Trouble[];
  readonly isWhole: boolean;
  /** Somebody wants to see them, also where there are none. */
  readonly isAsked: boolean;
  open(): void;
}

export function Troubles({ troubles, isWhole, isAsked, open }: TroublesProps) {
  const [worst, ...rest] = troubles;
  return (
    <div class="troubles">
      {/* Always there, so that what comes into it is read out; ages stand outside, as they change each second. */}
      <div role="status">
        {worst && (isWhole ? <TroubleCard trouble={worst} /> : <TroubleLine trouble={worst} open={open} />)}
        {!worst && isAsked && <p class="trouble is-good">Nothing is wrong.</p>}
      </div>
      {isWhole && worst?.heardAtMs ? <LastHeard atMs={worst.heardAtMs} /> : null}
      {isWhole && rest.map((trouble) => <TroubleCard key={trouble.id} trouble={trouble} />)}
    </div>
  );
}

function TroubleLine({ trouble: { kind, title }, open }: { trouble: Trouble; open: () => void }) {
  return (
    <p class={`trouble is-line is-${kind}`}>
      <b>{title}</b>{' '}
      <button type="button" class="quiet-button" onClick={open}>
        What to do
      </button>
    </p>
  );
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
