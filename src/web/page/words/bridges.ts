/** Words about one of several bridges. */
import type { Summary } from '../reading/answers.js';
import { counted, hashRate } from './numbers.js';
import { duration } from './times.js';

type Bridge = Summary['bridges'][number];

/** What is older may be another by now, and is told so. */
const OLD_MS = 5_000;

export function bridgeWords({ place, ageMs, sessions, hashesPerSecond }: Bridge, isAsked: boolean): string {
  if (sessions === null || ageMs === null)
    return `${place}: it has shown nothing that can be read, and is in no number here`;
  const does = `${counted(sessions, 'session')}, ${hashRate(hashesPerSecond ?? 0)}`;
  return [place, isAsked && 'this one', does, ageMs >= OLD_MS && `${duration(ageMs)} ago`]
    .filter(Boolean)
    .join(', ');
}

/** After what is about something of another bridge than the one that is asked. */
export function ofBridge(bridge: number | null): string {
  return bridge === null ? '' : ` (bridge ${bridge})`;
}
