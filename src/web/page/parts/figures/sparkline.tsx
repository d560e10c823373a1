/** A small line beside a number: how it went. The chart of the view has it in full, so ears are not told of it. */

import type { History } from '../../reading/answers.js';
import { useHistory } from '../../use/history.js';

const WIDTH = 120;
const HEIGHT = 28;

type Column = readonly (number | null)[];

/** How it went in the pool over a day. */
export function OfDay({ metric }: Pick<History, 'metric'>) {
  return <Sparkline values={useHistory(metric, '24h').value?.values} />;
}

function Sparkline({ values }: { values: Column | undefined }) {
  const path = pathOf(fromFirst(values ?? []));
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {path !== '' && <path d={path} />}
    </svg>
  );
}

/** Drawn over the whole width, however short it is. */
function fromFirst(values: Column): Column {
  return values.slice(
    Math.max(
      0,
      values.findIndex((value) => value !== null),
    ),
  );
}

/** From nothing to the greatest value, where there are two at least; what has no neighbour is a dot, as a line of no length with round ends. */
export function pathOf(values: Column): string {
  const known = values.filter((value) => value !== null);
  const most = Math.max(0, ...known);
  if (known.length < 2 || most === 0) return '';
  const x = (i: number): string => (2 + ((WIDTH - 4) * i) / Math.max(1, values.length - 1)).toFixed(1);
  const y = (value: number): string => (HEIGHT - 2 - ((HEIGHT - 4) * value) / most).toFixed(1);
  const has = (i: number): boolean => values[i] !== null && values[i] !== undefined;
  return values
    .map((value, i) => {
      if (value === null) return '';
      if (has(i - 1)) return `L${x(i)} ${y(value)}`;
      return `M${x(i)} ${y(value)}${has(i + 1) ? '' : 'h0'}`;
    })
    .join('');
}
