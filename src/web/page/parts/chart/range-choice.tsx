/** Which time the charts of a view show. It stands in the address. */
import { RANGES, type Range } from '../../../../operations/enums.js';
import { hashOf, type Route } from '../../route.js';

/** Somebody may have typed anything. */
export function rangeOf({ params }: Route): Range {
  const given = params.get('range');
  return RANGES.find((range) => range === given) ?? '1h';
}

export function RangeChoice({ route }: { route: Route }) {
  const { view, parts, params } = route;
  const chosen = rangeOf(route);
  const hash = (range: Range): string => hashOf(view, { ...Object.fromEntries(params), range }, parts);
  return (
    <nav class="ranges" aria-label="Time that is shown">
      <ul>
        {RANGES.map((range) => (
          <li key={range}>
            <a href={hash(range)} aria-current={range === chosen ? 'true' : undefined}>
              {range.replace(/\d+/, '$& ')}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
