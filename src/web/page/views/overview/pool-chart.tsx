/** The hash rate of the pool, with what happened meanwhile. */
import { useMemo } from 'preact/hooks';
import { Chart } from '../../parts/chart/chart.js';
import { rateDrawing } from '../../parts/chart/drawings.js';
import { RangeChoice, rangeOf } from '../../parts/chart/range-choice.js';
import type { Block, Blocks } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { useBands } from '../../use/bands.js';
import { useHistory } from '../../use/history.js';
import { useAsked } from '../../use/reading.js';
import { blockWords } from '../../words/blocks.js';

/** More of them would be a wall. */
const MOST_MARKERS = 100;
const EVERY_MS = 60_000;

/** @param newest block, as something else on the view knows it: another one is a reason to ask for all. */
export function PoolChart({ route, newest }: { route: Route; newest: Block | undefined }) {
  const range = rangeOf(route);
  const { value, fault, isOld } = useHistory('hashRate', range);
  const key = `markers ${newest?.id} ${newest?.state}`;
  const { value: marked } = useAsked<Blocks>(key, EVERY_MS, (ask, signal) =>
    ask.json(`/api/v1/blocks?limit=${MOST_MARKERS}`, signal),
  );
  const bands = useBands(value?.from);
  const drawing = useMemo(
    () => value && { ...rateDrawing(value), bands, markers: markersOf(marked, Date.parse(value.from)) },
    [value, marked, bands],
  );
  return (
    <Chart title="Hash rate of the pool" drawing={drawing} fault={fault} isBusy={isOld} none={NONE}>
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

/** None where they would not reach back over the whole time: half of them would look like all. */
function markersOf(blocks: Blocks | undefined, fromMs: number) {
  const all = (blocks?.blocks ?? []).map((block) => ({
    atMs: Date.parse(block.foundAt),
    says: blockWords(block),
  }));
  const shown = all.filter(({ atMs }) => atMs >= fromMs);
  return shown.length === MOST_MARKERS ? [] : shown.reverse();
}
