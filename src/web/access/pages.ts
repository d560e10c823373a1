/** What browsers ask for web pages: those from elsewhere may read and order only where `web.origins` names them. */
import type { IncomingHttpHeaders } from 'node:http';

/** Of another origin than the name that was asked by; a proxy with TLS in between makes no difference. */
export function isOfForeignPage({ origin, host }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}

/** Browsers that name no origin with an order say so at least. */
export function isSentFromElsewhere(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return (
    isOfForeignPage(headers) ||
    (headers.origin === undefined && (site === 'cross-site' || site === 'same-site'))
  );
}

/** @param origins of `web.origins`; `*` for all. */
export function mayRead(origin: string | undefined, origins: readonly string[]): boolean {
  return origin !== undefined && (origins.includes('*') || origins.includes(origin));
}

/** Answers to `origin` can be read by its page. */
export function corsHeaders(origin: string, origins: readonly string[]): Record<string, string> {
  return {
    'access-control-allow-origin': origins.includes('*') ? '*' : origin,
    'access-control-expose-headers': 'retry-after, www-authenticate, x-total-count, x-left-out',
    vary: 'Origin',
  };
}

/** What a browser asks before a page may send a token or JSON. */
export function isPreflight(method: string, headers: IncomingHttpHeaders): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '600',
} as const;
