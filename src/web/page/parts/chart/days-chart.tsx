/** An amount a day, as bars. */
import { useMemo } from 'preact/hooks';
import { usePool } from '../../use/pool.js';
import type { Asked } from '../../use/reading.js';
import { shortAmount } from '../../words/money.js';
import { Amount } from '../amount.js';
import { Chart } from './chart.js';
import type { Drawing } from './drawing.js';

const DAY_MS = 86_400_000;
const WEEK = 7;

/** Without a gap, today last. */
export type Days = readonly { readonly day: string; readonly amount: string }[];

interface DaysChartProps {
  readonly title: string;
  /** `earned`. */
  readonly what: string;
  readonly asked: Asked<unknown>;
  /** `undefined` until they are known. */
  readonly days: Days | undefined;
  /** What is said where none brought anything. */
  readonly none: string;
}

export function DaysChart({ title, what, asked, days, none }: DaysChartProps) {
  const { coin } = usePool();
  const drawing = useMemo(() => days && drawingOf(days, what, coin), [days, what, coin]);
  return (
    <Chart title={title} asked={asked} drawing={drawing} none={<p>{none}</p>}>
      {days && (
        <p class="aside">
          Today <Amount of={sumOf(days.slice(-1))} isBare /> · 7 days <Amount of={sumOf(days.slice(-WEEK))} />
        </p>
      )}
    </Chart>
  );
}

/** For eyes: no more exact than they read. */
function sumOf(days: Days): string {
  return days.reduce((sum, { amount }) => sum + Number(amount), 0).toFixed(12);
}

/** From the first day on that brought something; a week at least. */
function drawingOf(days: Days, what: string, coin: string): Drawing {
  const first = days.findIndex(({ amount }) => Number(amount) !== 0);
  const shown = days.slice(Math.min(first === -1 ? 0 : first, days.length - WEEK));
  const fromMs = Date.parse(shown[0]?.day ?? '');
  const values = shown.map(({ amount }) => (first === -1 ? null : Number(amount)));
  return {
    steps: { fromMs, stepMs: DAY_MS, untilMs: fromMs + shown.length * DAY_MS },
    lines: [{ name: what, ink: 'main', values }],
    unit: { letters: '', words: coin, say: (value) => `${shortAmount(value.toFixed(12))}\u00a0${coin}` },
    look: 'stack',
    markers: [],
    bands: [],
  };
}
