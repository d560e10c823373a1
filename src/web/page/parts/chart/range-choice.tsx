/** Which time the charts of a view show. It stands in the address. */
import { hashOf, type Route } from '../../route.js';

export const RANGES = [
  ['1h', '1 h'],
  ['24h', '24 h'],
  ['7d', '7 d'],
  ['30d', '30 d'],
  ['1y', '1 y'],
] as const;
export type Range = (typeof RANGES)[number][0];

/** Somebody may have typed anything. */
export function rangeOf({ params }: Route): Range {
  const given = params.get('range');
  return RANGES.find(([range]) => range === given)?.[0] ?? '1h';
}

export function RangeChoice({ route }: { route: Route }) {
  const { view, parts, params } = route;
  const chosen = rangeOf(route);
  const hash = (range: Range): string => hashOf(view, { ...Object.fromEntries(params), range }, parts);
  return (
    <nav class="ranges" aria-label="Time that is shown">
      <ul>
        {RANGES.map(([range, words]) => (
          <li key={range}>
            <a href={hash(range)} aria-current={range === chosen ? 'true' : undefined}>
              {words}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
