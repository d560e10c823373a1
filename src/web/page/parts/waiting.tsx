/** What stands where an answer is awaited, and why the one that is shown is not of now. */
import type { Asked } from '../use/reading.js';

export function Waiting({ value, fault }: Pick<Asked<unknown>, 'value' | 'fault'>) {
  if (value === undefined)
    return <p class="quiet long">{fault ?? 'Waiting for the answer of the bridge.'}</p>;
  return fault === undefined ? null : <p class="quiet long">Not up to date. {fault}</p>;
}
