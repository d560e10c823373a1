/** How an account or a rig has mined: how fast, with the alerts about it, and what became of its submits. */
import { useMemo } from 'preact/hooks';
import type { Route } from '../../route.js';
import { useBands } from '../../use/bands.js';
import { useHistory } from '../../use/history.js';
import { Chart } from './chart.js';
import { outcomesDrawing, rateDrawing } from './drawings.js';
import { RangeChoice, rangeOf } from './range-choice.js';

interface MinedChartsProps {
  readonly route: Route;
  readonly kind: 'account' | 'rig';
  /** An account, or the account and the rig. */
  readonly names: readonly [account: string, rig?: string];
}

export function MinedCharts({ route, kind, names }: MinedChartsProps) {
  const range = rangeOf(route);
  const of = `${kind}:${names.join('.')}`;
  const rates = useHistory('hashRate', range, of);
  const shares = useHistory('shares', range, of);
  // A rig without a name has its account as its login.
  const bands = useBands(rates.value?.from, names.filter(Boolean).join('.'));
  const rate = useMemo(() => rates.value && { ...rateDrawing(rates.value), bands }, [rates.value, bands]);
  const outcomes = useMemo(() => shares.value && outcomesDrawing(shares.value), [shares.value]);
  const none = (
    <p>No share of this {kind} was booked in this time. The books need up to a minute for the first one.</p>
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
