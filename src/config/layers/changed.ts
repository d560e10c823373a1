/** What another reading of the settings has brought. */
import { isDeepStrictEqual } from 'node:util';

/** Keys whose values differ, however they are written and wherever they come from. */
export function changedSettings<C extends object>(before: C, after: C): (keyof C & string)[] {
  const keys = Object.keys(after) as (keyof C & string)[];
  return keys.filter((key) => !isDeepStrictEqual(before[key], after[key]));
}
