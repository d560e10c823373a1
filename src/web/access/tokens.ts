/** Which token somebody shows. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { TokenAccess } from '../../operations/enums.js';

export interface Token {
  /** It stands in the timeline for whoever shows it. */
  readonly name: string;
  readonly access: TokenAccess;
  readonly secret: string;
}

/** `Authorization: Bearer TOKEN` (RFC 6750, 2.1); `undefined` where no token is shown. What is none of the form is a wrong one. */
export function bearerIn(header: string | undefined): string | undefined {
  if (header === undefined || !/^bearer\b/i.test(header)) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
}

/** Takes as long for any token: how much of it is right cannot be measured. */
export function tokenOf(shown: string, tokens: readonly Token[]): Token | undefined {
  const digest = digestOf(shown);
  return tokens.filter(({ secret }) => timingSafeEqual(digest, digestOf(secret)) && secret !== '').at(0);
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
