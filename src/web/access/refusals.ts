/** Why a request is not answered, in sentences that say what to do. */

import type { Access } from '../../operations/enums.js';

export interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const REALM = 'Bearer realm="stratum-bridge"';
/** No path of this machine: anybody reads this. The log names the file. */
const WHERE =
  'tokens are those of web.tokens, each with its access, and, where none of them has admin, the one in the file web-admin-token of the data directory (the log names it)';
const HOW =
  'sign in on the page, by a link that `stratum-bridge web` prints on the machine of the bridge or with a token, or send the header "Authorization: Bearer TOKEN"';

export const READS_NEED_TOKEN: Refusal = {
  status: 401,
  error: `this is for operators: ${HOW}; ${WHERE}`,
  headers: { 'www-authenticate': REALM },
};

/** @param access that the order takes. */
export function orderNeedsToken(access: Access): Refusal {
  return {
    status: 401,
    error: `this order takes a token with access ${access}: ${HOW}; ${WHERE}`,
    headers: { 'www-authenticate': REALM },
  };
}

export const WRONG_TOKEN: Refusal = {
  status: 401,
  error: `this token is not one of this bridge: ${WHERE}`,
  headers: { 'www-authenticate': `${REALM}, error="invalid_token"` },
};

export const WRONG_LINK: Refusal = {
  status: 401,
  error:
    'this link signs nobody in: it works once, for an hour, and until the bridge restarts. Run `stratum-bridge web` on the machine of the bridge for a new one',
};

/** @param has what the token or session may, @param access what this takes. */
export function notEnough(has: Access, access: Access): Refusal {
  return {
    status: 403,
    error: `this takes access ${access}, and yours is ${has}: ${WHERE}`,
    headers: { 'www-authenticate': `${REALM}, error="insufficient_scope"` },
  };
}

export const FOREIGN_PAGE: Refusal = {
  status: 403,
  error:
    'web pages from elsewhere are not answered: ask from a program, or name the origin of the page in web.origins. A proxy before this bridge has to pass on the name that it was asked by (Host)',
};

export const NOT_FOR_OTHERS: Refusal = {
  status: 403,
  error: 'this socket is for `stratum-bridge ctl`: web pages and proxies ask at web.listen, with a token',
};

export const TWO_HOSTS: Refusal = { status: 400, error: 'the request has more than one Host header' };

/** Of what came from outside, no more is said back. */
const MAX_ECHO = 80;

/** @param host as it was asked by. */
export function wrongHost(host: string): Refusal {
  const shown = JSON.stringify(host.slice(0, MAX_ECHO));
  return {
    status: 403,
    error: `this bridge is not known as ${shown}: ask by address, or name it in web.hosts`,
  };
}

export const TOO_MANY_WRONG = later(1, 'too many wrong tokens came at once');

export function tooManyRequests(seconds: number): Refusal {
  return later(seconds, 'too many requests came from this address');
}

function later(seconds: number, why: string): Refusal {
  return {
    status: 429,
    error: `${why}: try again in ${seconds} s`,
    headers: { 'retry-after': String(seconds) },
  };
}
