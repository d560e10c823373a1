/** How soon rigs hear of a block: the one number that a bridge itself can make better or worse. */
import { useMemo } from 'preact/hooks';
import { Chart } from '../../parts/chart/chart.js';
import { delayDrawing } from '../../parts/chart/drawings.js';
import { RangeChoice, rangeOf } from '../../parts/chart/range-choice.js';
import { Since } from '../../parts/figures/age.js';
import { Figure, Figures } from '../../parts/figures/figure.js';
import type { Summary } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { useHistory } from '../../use/history.js';
import { counted, milliseconds, percent } from '../../words/numbers.js';

const DELAY_HINT =
  'From the moment at which the bridge hears that there is new work until the last rig has its job. What is mined meanwhile is stale.';

export function DelayFigures({ summary: { freshness, startedAt } }: { summary: Summary }) {
  const { delayMs, jobs, staleHashes } = freshness;
  const isKnown = jobs > 0;
  return (
    <Figures>
      <Figure
        name="Median job delay"
        value={isKnown ? milliseconds(delayMs.p50) : undefined}
        hint={DELAY_HINT}
      >
        {isKnown ? `of the last ${counted(jobs, 'job')}` : 'no job yet'}
      </Figure>
      <Figure name="99th percentile" value={isKnown ? milliseconds(delayMs.p99) : undefined}>
        {isKnown ? `at most ${milliseconds(delayMs.max)}` : 'no job yet'}
      </Figure>
      <Figure name="Stale work" value={isKnown ? percent(staleHashes, 1) : undefined}>
        of all hashes <Since at={startedAt} />
      </Figure>
    </Figures>
  );
}

export function DelayChart({ route }: { route: Route }) {
  const asked = useHistory('freshness', rangeOf(route));
  const drawing = useMemo(() => asked.value && delayDrawing(asked.value), [asked.value]);
  return (
    <Chart title="Job delay" asked={asked} drawing={drawing} none={<p>No job was given in this time.</p>}>
      <RangeChoice route={route} />
    </Chart>
  );
}
