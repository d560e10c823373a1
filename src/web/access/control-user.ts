/** Who asks by the control socket: `stratum-bridge ctl` says for which user of the machine it runs. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { textFault } from '../../core/names/names.js';

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

/** What proxies tell of whom they ask for. */
const OF_PROXIES =
  /^(x-forwarded(-.+)?|forwarded|via|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip)$/;

/** A proxy that asks there for others, or for a web page, would make administrators of them. */
export function isForOthers({ headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>): boolean {
  return raw.httpVersion === '1.0' || isOfPage(headers) || Object.keys(headers).some(isOfProxy);
}

function isOfPage({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return origin !== undefined || site !== undefined;
}

function isOfProxy(name: string): boolean {
  return OF_PROXIES.test(name);
}
