/** The hash rate of the pool, with what happened meanwhile. */
import { useMemo } from 'preact/hooks';
import { Chart } from '../../parts/chart/chart.js';
import { rateDrawing } from '../../parts/chart/drawings.js';
import { markersOf } from '../../parts/chart/markers.js';
import { RangeChoice, rangeOf } from '../../parts/chart/range-choice.js';
import type { Block, Blocks } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { useBands } from '../../use/bands.js';
import { useHistory } from '../../use/history.js';
import { useAsked } from '../../use/reading.js';

/** Of more than these only the numbers are asked for. */
const MOST_SINGLE = 100;
const EVERY_MS = 60_000;

interface PoolChartProps {
  readonly route: Route;
  /** As something else on the view knows it: another one is a reason to ask for all. */
  readonly newest: Block | undefined;
  /** There is nothing to be seen yet. */
  readonly isLeftOut?: boolean;
}

export function PoolChart({ route, newest, isLeftOut = false }: PoolChartProps) {
  const range = rangeOf(route);
  const asked = useHistory('hashRate', range);
  const { value: counts } = useHistory('blocks', range);
  const key = `markers ${newest?.id} ${newest?.state}`;
  const { value: single } = useAsked<Blocks>(key, EVERY_MS, (ask, signal) =>
    ask.json(`/api/v1/blocks?limit=${MOST_SINGLE}`, signal),
  );
  const { value } = asked;
  const bands = useBands(value?.from);
  const drawing = useMemo(
    () =>
      value && { ...rateDrawing(value), bands, markers: markersOf(single, counts, Date.parse(value.from)) },
    [value, single, counts, bands],
  );
  if (isLeftOut && !value?.values.some((each) => each !== null)) return null;
  return (
    <Chart title="Hash rate" asked={asked} drawing={drawing} none={NONE}>
      <RangeChoice route={route} />
    </Chart>
  );
}

const NONE = (
  <p>
    No share was booked in this time. The chart begins with the first accepted share; the books need up to a
    minute for it.
  </p>
);
