/** How soon rigs hear of a block: the one number that a bridge itself can make better or worse. */
import { Since } from '../../parts/figures/age.js';
import { Figure } from '../../parts/figures/figure.js';
import type { Summary } from '../../reading/answers.js';
import { counted, milliseconds, percent } from '../../words/numbers.js';

export function FreshFigures({ summary: { freshness, startedAt } }: { summary: Summary }) {
  const { delayMs, jobs, staleHashes } = freshness;
  const shown = (ms: number): string | undefined => (jobs === 0 ? undefined : milliseconds(ms));
  const awaited = 'the first job is awaited';
  return (
    <dl class="figures is-few">
      <Figure name="Median job delay" value={shown(delayMs.p50)}>
        {jobs === 0 ? awaited : 'from the news of a block to the last rig'}
      </Figure>
      <Figure name="99th percentile of the job delay" value={shown(delayMs.p99)}>
        {jobs === 0
          ? awaited
          : `of the last ${counted(jobs, 'job')}; the slowest ${milliseconds(delayMs.max)}`}
      </Figure>
      <Figure name="Stale work" value={jobs === 0 ? undefined : percent(staleHashes, 1)}>
        {jobs === 0 ? (
          awaited
        ) : (
          <>
            of all hashes <Since at={startedAt} />
          </>
        )}
      </Figure>
    </dl>
  );
}
