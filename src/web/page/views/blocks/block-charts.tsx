/** How many blocks there were over time, and the work that they took. */
import { useMemo } from 'preact/hooks';
import { Chart } from '../../parts/chart/chart.js';
import { blocksDrawing, effortDrawing } from '../../parts/chart/drawings.js';
import { RangeChoice, rangeOf } from '../../parts/chart/range-choice.js';
import type { Route } from '../../route.js';
import { useHistory } from '../../use/history.js';

/** A pool finds few in an hour. */
const USUAL = '24h';

export function BlockCharts({ route }: { route: Route }) {
  const range = rangeOf(route, USUAL);
  const found = useHistory('blocks', range);
  const effort = useHistory('effort', range);
  const foundDrawing = useMemo(() => found.value && blocksDrawing(found.value), [found.value]);
  const drawing = useMemo(() => effort.value && effortDrawing(effort.value), [effort.value]);
  return (
    <div class="cards">
      <Chart title="Blocks found" asked={found} drawing={foundDrawing} none={NONE}>
        <RangeChoice route={route} usual={USUAL} />
      </Chart>
      <Chart title="Effort" asked={effort} drawing={drawing} none={NONE} />
    </div>
  );
}

const NONE = <p>No block in this time.</p>;
