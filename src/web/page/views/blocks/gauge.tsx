/** A part of something, drawn small beside its number. */
interface GaugeProps {
  /** In percent of its length. */
  readonly from?: number;
  readonly to: number;
  readonly look?: 'good' | 'warning';
  /** A line at the middle. */
  readonly hasMiddle?: boolean;
}

export function Gauge({ from = 0, to, look, hasMiddle = false }: GaugeProps) {
  const [left, right] = [Math.min(from, to), Math.max(from, to)];
  return (
    <svg
      class={`gauge ${look ? `is-${look}` : ''}`}
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect class="gauge-ground" width="100" height="8" />
      <rect x={left} width={right - left} height="8" />
      {hasMiddle && <rect class="gauge-middle" x="49" width="2" height="8" />}
    </svg>
  );
}
