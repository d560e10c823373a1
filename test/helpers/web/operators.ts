/** Tokens of the bridges that tests start, and questions of who has them. */
import { TOKEN_ACCESS, type TokenAccess } from '../../../src/operations/enums.js';
import type { AccessRules } from '../../../src/web/access/guard.js';
import type { Token } from '../../../src/web/access/tokens.js';

export const ADMIN = 'admin-token-of-this-test';
/** `serve`, `demo` and `recorder` are started with this one, unless a test gives another. */
export const READ = 'read-token-of-this-test-';
/** The secret of each. */
export const SECRETS: Readonly<Record<TokenAccess, string>> = {
  admin: ADMIN,
  approve: 'approve-token-of-this-test',
  operate: 'operate-token-of-this-test',
  read: READ,
};
/** One of each access, named as it is. */
export const TOKENS: readonly Token[] = TOKEN_ACCESS.map((access) => {
  return { name: access, access, secret: SECRETS[access] };
});
/** As a file or a variable has it. */
export const READ_TOKEN = { test: { access: 'read', secret: READ } };
export const RULES: AccessRules = { isPublic: false, url: '', hosts: [], origins: [], tokens: TOKENS };

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** As `fetch`, with the token that reads. */
export function fetchAsReader(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, headers: { ...bearer(READ), ...(init.headers as Record<string, string>) } });
}
