/** Warnings that may come in floods: of each reason one line in ten seconds, with the count of what it stands for. */
import type { Log } from '../core/names/log.js';
import { isList, isObject, parseJson } from '../wire/json.js';

const QUIET_MS = 10_000;
const MAX_REASONS = 64;

/** @param reason the same for all that is wrong in the same way, whatever the fields say. */
export type Warn = (reason: string, fields: object, message: string) => void;

export function limitedWarnings(log: Log): Warn {
  const reasons = new Map<string, { saidAtMs: number; unsaid: number }>();
  return (reason, fields, message) => {
    const nowMs = performance.now();
    const last = reasons.get(reason);
    if (last && nowMs - last.saidAtMs < QUIET_MS) {
      last.unsaid++;
      return;
    }
    const times = (last?.unsaid ?? 0) + 1;
    log.warn(times > 1 ? { ...fields, times } : fields, message);
    reasons.delete(reason);
    reasons.set(reason, { saidAtMs: nowMs, unsaid: 0 });
    const [oldest] = reasons.keys();
    if (reasons.size > MAX_REASONS && oldest !== undefined) reasons.delete(oldest);
  };
}

/** What a message is, in a few words. */
export function shapeOf(line: string): string {
  const parsed = parseJson(line);
  if ('fault' in parsed || !isObject(parsed.value)) return 'lines that are no messages';
  const { method, params } = parsed.value;
  const parts = isList(params ?? null) ? `${(params as unknown[]).length} parts` : 'no list of parts';
  return typeof method === 'string' ? `${method.slice(0, 64)} with ${parts}` : 'messages without a method';
}
