/** Who asks by the control socket: `stratum-bridge ctl` says for which user of the machine it runs. */
import type { FastifyRequest } from 'fastify';
import { textFault } from '../../core/names/names.js';
import { isPassedOn } from './here.js';
import { isOfForeignPage } from './pages.js';

/** Percent-encoded. It is believed: the socket is open to its owner alone. */
export const USER_HEADER = 'x-ctl-user';
const LONGEST_NAME = 64;

export function controlUser({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const user = decoded(String(headers[USER_HEADER] ?? ''));
  return textFault('the user', user, LONGEST_NAME) === undefined ? `ctl (user ${user})` : 'ctl';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** A proxy that asks there for others, or for a web page, would make administrators of them. */
export function isForOthers({ headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>): boolean {
  const { 'sec-fetch-site': site } = headers;
  return isOfForeignPage(headers) || site !== undefined || isPassedOn(headers, raw.httpVersion);
}
