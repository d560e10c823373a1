/** The table of conditions, applied: what of a snapshot is beyond its bound. Pure. */
import type { Finding } from '../bridge/alerts.js';
import {
  CONDITION_NAMES,
  CONDITIONS,
  type Condition,
  type Event,
  type Judged,
  type State,
} from './conditions.js';
import type { Bounds, Snapshot } from './snapshot.js';

const ROWS: Readonly<Record<Condition, State | Event>> = CONDITIONS;

/** By the condition: the kind of event that is one. */
export const EVENTS: readonly (Event & { readonly condition: Condition })[] = CONDITION_NAMES.flatMap(
  (condition) => {
    const row = ROWS[condition];
    return 'kind' in row ? [{ condition, ...row }] : [];
  },
);

/** How long it must be so before it counts; milliseconds. */
export function holdOf(condition: string): number {
  const row: State | Event | undefined = ROWS[condition as Condition];
  return row && 'judge' in row ? (row.holdMs ?? 0) : 0;
}

/** Those that the settings switch off, or give no bound. */
export function switchedOff(settings: Bounds): Condition[] {
  return CONDITION_NAMES.filter((condition) => {
    const row = ROWS[condition];
    return settings['alerts.off'].includes(condition) || ('isUnset' in row && row.isUnset?.(settings));
  });
}

/** What is not known now, or switched off, is not among the findings. */
export function judge(
  snapshot: Snapshot,
  settings: Bounds,
  isOpen: (condition: string, about: string) => boolean,
): Finding[] {
  const off = switchedOff(settings);
  return CONDITION_NAMES.filter((condition) => !off.includes(condition)).flatMap((condition) => {
    const row = ROWS[condition];
    if ('kind' in row) return [];
    const { severity, bound = 0, isShared } = row;
    const judged = row.judge(snapshot, { settings, bound, isOpen: (about) => isOpen(condition, about) });
    return [judged ?? []].flat().map((each: Judged): Finding => ({ condition, severity, isShared, ...each }));
  });
}
