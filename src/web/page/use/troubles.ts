/** What is wrong now, the worst first. */
import type { Alerts, Drain } from '../reading/answers.js';
import { type AlsoKnown, type Trouble, troublesOf } from '../words/troubles.js';
import { useAsked, useSeen } from './reading.js';

const EVERY_MS = 5_000;
const MOST_ALERTS = 100;

export function useTroubles(): readonly Trouble[] {
  const seen = useSeen();
  const { isAnonymous } = seen;
  const path = `/api/v1/alerts?state=open&limit=${MOST_ALERTS}`;
  // Nothing for anonymous users.
  const { value } = useAsked<AlsoKnown>(`also ${isAnonymous}`, EVERY_MS, async (ask, signal) => {
    if (isAnonymous) return {};
    const [{ alerts, next }, drain] = await Promise.all([
      ask.json<Alerts>(path, signal),
      ask.json<Drain>('/api/v1/drain', signal),
    ]);
    return { alerts, isPart: next !== null, drain };
  });
  return troublesOf(seen, value ?? {});
}
