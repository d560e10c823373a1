/** How somebody has mined: how fast, with the alerts about it, and what became of the submits. */
import { useMemo } from 'preact/hooks';
import type { History } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { useBands } from '../../use/bands.js';
import { useHistory } from '../../use/history.js';
import { Card } from '../card.js';
import { Chart } from './chart.js';
import type { Band } from './drawing.js';
import { outcomesDrawing, rateDrawing } from './drawings.js';
import { RangeChoice, rangeOf } from './range-choice.js';

interface MiningChartsProps {
  readonly route: Route;
  readonly kind: 'account' | 'rig';
  readonly name: string;
  /** What the rates tell of when somebody was there. */
  ribbonOf?(rates: History): readonly Band[];
}

export function MiningCharts({ route, kind, name, ribbonOf }: MiningChartsProps) {
  const range = rangeOf(route);
  const rates = useHistory('hashRate', range, `${kind}:${name}`);
  const shares = useHistory('shares', range, `${kind}:${name}`);
  const bands = useBands(rates.value?.from, name);
  const rate = useMemo(
    () => rates.value && { ...rateDrawing(rates.value), bands, ribbon: ribbonOf?.(rates.value) ?? [] },
    [rates.value, bands, ribbonOf],
  );
  const outcomes = useMemo(() => shares.value && outcomesDrawing(shares.value), [shares.value]);
  const none = <p>No share of this {kind} was booked in this time. The books need up to a minute for one.</p>;
  // Who is connected, or was never here: the rest of the view says which.
  if (rates.isNothing)
    return (
      <Card id="charts" title="Hash rate">
        {none}
      </Card>
    );
  return (
    <div class="cards">
      <Chart title="Hash rate" asked={rates} drawing={rate} none={none}>
        <RangeChoice route={route} />
      </Chart>
      <Chart title="Submits" asked={shares} drawing={outcomes} none={none} />
    </div>
  );
}
