/** Times over which an alert was open, for charts. */
import { useMemo } from 'preact/hooks';
import type { Band } from '../parts/chart/drawing.js';
import type { Alert, Alerts } from '../reading/answers.js';
import { useAnswer, useSeen } from './reading.js';

const EVERY_MS = 10_000;
/** As many as the API gives at a time. */
const MOST = 1_000;
const NONE: readonly Band[] = [];

/**
 * Those of what is wrong that were open then or later. What only happened, such as a block, is no time over which something was so.
 *
 * @param from ISO 8601; `undefined` while it is not known.
 * @param about whose; all of them when it is left out.
 */
export function useBands(from: string | undefined, about?: string): readonly Band[] {
  const { isAnonymous } = useSeen();
  const isAsked = from !== undefined && !isAnonymous;
  const path = isAsked ? `/api/v1/alerts?since=${from}&limit=${MOST}` : undefined;
  const { value } = useAnswer<Alerts>(path, EVERY_MS);
  return useMemo(
    () =>
      value?.alerts
        .filter(({ until, from, severity }) => until !== from && severity !== 'info')
        .filter((alert) => about === undefined || alert.about === about)
        .map(bandOf) ?? NONE,
    [value, about],
  );
}

function bandOf({ from, until, says, severity }: Alert): Band {
  return {
    fromMs: Date.parse(from),
    untilMs: until === null ? undefined : Date.parse(until),
    says: `alert: ${says}`,
    ink: severity === 'critical' ? 'fault' : 'warning',
  };
}
