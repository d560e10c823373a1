/** Why a request is not answered, in sentences that say what to do. */

export interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const REALM = 'Bearer realm="stratum-bridge"';
/** No path of this machine: strangers read this too. The log names the file. */
const WHERE =
  'the admin token is the one of web.tokens.admin or, where none is set, in the file web-admin-token of the data directory (the log names it); web.tokens.read may only read, and web.tokens.approve besides that prepare, approve, reject and pause payouts';

export const READS_NEED_TOKEN: Refusal = {
  status: 401,
  error: `this is for operators: send the header "Authorization: Bearer TOKEN"; ${WHERE}`,
  headers: { 'www-authenticate': REALM },
};

export const ORDERS_NEED_TOKEN: Refusal = {
  status: 401,
  error: `orders take the admin token: send the header "Authorization: Bearer TOKEN"; ${WHERE}`,
  headers: { 'www-authenticate': REALM },
};

export const WRONG_TOKEN: Refusal = {
  status: 401,
  error: `this token is not one of this bridge: ${WHERE}`,
  headers: { 'www-authenticate': `${REALM}, error="invalid_token"` },
};

export const READ_ONLY: Refusal = {
  status: 403,
  error: `this token gives no such orders: ${WHERE}`,
  headers: { 'www-authenticate': `${REALM}, error="insufficient_scope"` },
};

export const FOREIGN_PAGE: Refusal = {
  status: 403,
  error:
    'no orders of web pages from elsewhere are taken: ask from a program, or name the origin of the page in web.origins',
};

export const NOT_FOR_OTHERS: Refusal = {
  status: 403,
  error: 'this socket is for `stratum-bridge ctl`: web pages and proxies ask at web.listen, with a token',
};

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

export function tooManyTokens(seconds: number): Refusal {
  return later(seconds, 'too many wrong tokens came from this address');
}

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
