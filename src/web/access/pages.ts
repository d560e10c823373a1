/** What browsers ask for web pages: those from elsewhere may read and order only where `web.origins` names them. */
import type { IncomingHttpHeaders } from 'node:http';

/**
 * For a page from elsewhere. What browsers say of the site goes first: no page can set it, and a proxy that asks by another
 * name leaves it as it is. `same-site` is elsewhere too: another port of this machine.
 */
export function isOfForeignPage({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site === 'same-origin') return false;
  if (site === 'cross-site' || site === 'same-site') return true;
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}

/** Somebody follows a link, or opens an address: what is answered is shown to him, and not to the page that he came from. */
export function isNavigation({ origin, 'sec-fetch-mode': mode }: IncomingHttpHeaders): boolean {
  return origin === undefined && mode === 'navigate';
}

/** @param origins of `web.origins`; `*` for all. */
export function mayRead(origin: string | undefined, origins: readonly string[]): boolean {
  return origin !== undefined && (origins.includes('*') || origins.includes(origin));
}

/** Answers to `origin` can be read by its page. */
export function corsHeaders(origin: string, origins: readonly string[]): Record<string, string> {
  return {
    'access-control-allow-origin': origins.includes('*') ? '*' : origin,
    'access-control-expose-headers': 'retry-after, www-authenticate, x-total-count',
    vary: 'Origin',
  };
}

/** What a browser asks before a page may send a token or JSON. */
export function isPreflight(method: string, headers: IncomingHttpHeaders): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
  'access-control-allow-headers': 'authorization, content-type, idempotency-key',
  'access-control-max-age': '600',
} as const;
