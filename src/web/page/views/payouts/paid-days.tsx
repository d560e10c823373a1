import { useMemo } from 'preact/hooks';
import { DaysChart } from '../../parts/chart/days-chart.js';
import type { PaidDay } from '../../reading/answers.js';
import { useAnswer } from '../../use/reading.js';

const EVERY_MS = 30_000;

export function PaidDays() {
  const asked = useAnswer<{ days: readonly PaidDay[] }>('/api/v1/money/days', EVERY_MS);
  const days = useMemo(
    () => asked.value?.days.map(({ day, paid }) => ({ day, amount: paid })),
    [asked.value],
  );
  return (
    <DaysChart
      title="Paid a day"
      what="paid"
      asked={asked}
      days={days}
      none="Nothing yet. Payments count on the day on which the books have them."
    />
  );
}
