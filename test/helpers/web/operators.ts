/** Tokens of the bridges that tests start, and questions of who has them. */
import type { AccessRules } from '../../../src/web/access/guard.js';

export const ADMIN = 'admin-token-of-this-test';
/** `serve`, `demo` and `recorder` are started with this one, unless a test gives another. */
export const READ = 'read-token-of-this-test-';
export const TOKENS = { admin: ADMIN, read: READ };
export const RULES: AccessRules = { isPublic: false, url: '', hosts: [], origins: [], tokens: TOKENS };

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** As `fetch`, with the token that reads. */
export function fetchAsReader(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, headers: { ...bearer(READ), ...(init.headers as Record<string, string>) } });
}
