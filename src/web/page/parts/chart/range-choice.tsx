/** Which time the charts of a view show. It stands in the address. */
import { RANGES, type Range } from '../../../../operations/enums.js';
import { hashOf, type Route } from '../../route.js';
import { Segments } from '../controls/segments.js';

const OPTIONS = RANGES.map((range) => [range, range.replace(/\d+/, '$& ')] as const);

/** Somebody may have typed anything. @param usual where the address names none. */
export function rangeOf({ params }: Route, usual: Range = '1h'): Range {
  const given = params.get('range');
  return RANGES.find((range) => range === given) ?? usual;
}

export function RangeChoice({ route, usual }: { route: Route; usual?: Range }) {
  const { view, parts, params } = route;
  return (
    <Segments
      label="Time that is shown"
      options={OPTIONS}
      chosen={rangeOf(route, usual)}
      hrefOf={(range) => hashOf(view, { ...Object.fromEntries(params), range }, parts)}
    />
  );
}
