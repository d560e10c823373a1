/** Values as they may be shown: with passwords put out of sight. */

import type { Setting } from '../../values/setting.js';
/** A value with the passwords of its URLs put out of sight. */
export function withoutSecrets(setting: Pick<Setting, 'secret'>, value: unknown): unknown {
  if (!setting.secret) return value;
  if (setting.secret === 'whole') return isEmpty(value) ? value : '***';
  if (setting.secret === 'arguments') return programOf(value);
  if (setting.secret === 'tokens') return hideTokens(value);
  const hide = HIDES[setting.secret];
  return Array.isArray(value) ? value.map(hide) : hide(value);
}

/** Of a command, as a list or as one text. */
function programOf(value: unknown): unknown {
  const words = typeof value === 'string' ? value.trim().split(/\s+/) : Array.isArray(value) ? value : [];
  if (words.length < 2) return value;
  return Array.isArray(value) ? [words[0], '***'] : `${words[0]} ***`;
}

export function isEmpty(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}

/** Of a map; of a text all, where it may hold some. */
function hidePasswords(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('passwords') ? '***' : value;
  return isMap(value) && 'passwords' in value ? { ...value, passwords: '***' } : value;
}

/** Of a map of maps; of all else everything. */
function hideTokens(value: unknown): unknown {
  if (!isMap(value)) return isEmpty(value) ? value : '***';
  return Object.fromEntries(
    Object.entries(value).map(([name, token]) => [name, isMap(token) ? { ...token, secret: '***' } : '***']),
  );
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whatever stands before an @ may hold a password, also where the text is no URL. */
const BEFORE_AT = /^([a-z][a-z0-9+.-]*:\/\/)?.*@/is;

/** What is neither a URL nor this may be a password, where somebody took one for the other. */
const HOST_AND_PORT = /^(?:[\w.-]+|\[[\da-f:.]+\]):\d+$/i;
const HOST = /^[\w.-]+$/;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

const HIDES = {
  url: (value: unknown) => (typeof value === 'string' ? hideIn(value) : value),
  urls: hideInEach,
  passwords: hidePasswords,
};

/** Of one, or of several with commas, which may be the names of hosts alone. */
function hideInEach(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  // A password may hold a comma.
  const parts = value.includes('@') ? [value] : value.split(',');
  return parts.map((part) => (HOST.test(part) ? part : hideIn(part))).join(',');
}

function hideIn(value: string): string {
  if (value === '' || HOST_AND_PORT.test(value)) return value;
  const url = SCHEME.test(value) && URL.canParse(value) ? new URL(value) : undefined;
  if (!url || (url.username + url.password === '' && value.includes('@')))
    return BEFORE_AT.test(value) ? value.replace(BEFORE_AT, '$1***@') : '***';
  // Of HTTP it may be a key, as some providers have it; databases have users without a password.
  const isKey = url.username !== '' && url.password === '' && /^https?:$/.test(url.protocol);
  if (isKey) url.username = '***';
  if (url.password !== '') url.password = '***';
  for (const name of url.searchParams.keys()) {
    if (/pass|secret|token|key/i.test(name)) url.searchParams.set(name, '***');
  }
  return isKey || url.password !== '' || url.search !== '' ? url.toString() : value;
}
