import { useMemo } from 'preact/hooks';
import { DaysChart } from '../../parts/chart/days-chart.js';
import type { EarnedDay } from '../../reading/answers.js';
import { useAnswer } from '../../use/reading.js';

const EVERY_MS = 30_000;

export function Earned({ account }: { account: string }) {
  const path = `/api/v1/accounts/${encodeURIComponent(account)}/days`;
  const asked = useAnswer<{ days: readonly EarnedDay[] }>(path, EVERY_MS);
  const days = useMemo(
    () => asked.value?.days.map(({ day, earned }) => ({ day, amount: earned })),
    [asked.value],
  );
  return (
    <DaysChart
      title="Earned a day"
      what="earned"
      asked={asked}
      days={days}
      none="Nothing yet. Blocks count on the day on which they are confirmed and split."
    />
  );
}
