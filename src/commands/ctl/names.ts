/** Names of rigs and sessions, as they stand on a command line. */
import { ConfigError } from '../../config/layers/config-error.js';
import type { Name } from '../../core/names/names.js';

/** `account.rig`, or the account alone: what follows the first dot is the rig, as in a login. */
export function nameOf(login: string): Name {
  const [account = '', ...rest] = login.split('.');
  return { account, rig: rest.join('.') };
}

/** Throws {@link ConfigError} for what is no such text. */
export function sessionOf(text: string): { readonly id: number; readonly openedAt: string } {
  const [, id, openedAt] = /^(\d{1,15})@(\S+)$/.exec(text) ?? [];
  if (id !== undefined && openedAt !== undefined) return { id: Number(id), openedAt };
  const like = 'as `ctl sessions` names it, such as 7@2026-11-22T15:26:37.123Z';
  throw new ConfigError([`a session is meant ${like}, not ${JSON.stringify(text)}`]);
}
