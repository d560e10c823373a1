/** What sums are of, as tables number it: shares, or submits that were refused for one reason. */
import { REJECTIONS } from '../../core/shares/rejections.js';

/** Numbered from 0. A reason keeps its number for ever: new ones come at the end. */
export const KINDS: readonly string[] = ['accepted', ...REJECTIONS];

/** Of reasons that only a later version knows. */
const UNKNOWN = 99;
/** Of rigs that had a share in ten minutes. */
export const ONLINE = 100;

export function kindNumber(kind: string): number {
  const number = KINDS.indexOf(kind);
  return number < 0 ? UNKNOWN : number;
}
