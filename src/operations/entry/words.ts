/** What sentences about orders have in common, and names as they stand on a command line. */
import type { Name } from '../../core/names/names.js';

/** `1 session`, `2 sessions`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** @param isKept of the answer to an order. */
export function keptWords(isKept: boolean): string[] {
  return isKept
    ? []
    : ['It is not written down and ends with the next restart: the log of the bridge says why'];
}

/** `account.rig`, or the account alone: what follows the first dot is the rig. */
export function loginIn(text: string): Name {
  const [account = '', ...rest] = text.split('.');
  return { account, rig: rest.join('.') };
}
