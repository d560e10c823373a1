import { type Band, stepsOf } from '../../parts/chart/drawing.js';
import type { History, Rig } from '../../reading/answers.js';

/**
 * When a rig was there. Nothing tells of connections that are over: where shares came it was there, and since it is
 * connected; otherwise none came.
 *
 * @param connectedSince `undefined` while it is not known.
 */
export function presence(
  history: History,
  connectedSince: Rig['connectedSince'] | undefined,
): readonly Band[] {
  const { fromMs, stepMs, untilMs } = stepsOf(history);
  const sinceMs = connectedSince ? Date.parse(connectedSince) : Number.POSITIVE_INFINITY;
  const first = history.values.findIndex((value) => value !== null);
  const bands: Band[] = [];
  for (const [i, value] of history.values.entries()) {
    if (first === -1 || i < first) continue;
    const startMs = fromMs + i * stepMs;
    const endMs = Math.min(startMs + stepMs, untilMs);
    const isThere = (value ?? 0) > 0 || endMs > sinceMs;
    const last = bands.at(-1);
    const band: Band = isThere
      ? { fromMs: startMs, untilMs: endMs, says: 'online', ink: 'good' }
      : { fromMs: startMs, untilMs: endMs, says: 'no share', ink: 'fault' };
    if (last?.says === band.says) bands[bands.length - 1] = { ...last, untilMs: endMs };
    else bands.push(band);
  }
  return bands;
}
