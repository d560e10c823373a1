/**
 * Sessions of people at the page. A session is a cookie that says what its holder may do and until when, signed with Ed25519:
 *
 *     admin.link.1790000000.SIGNATURE
 *
 * Nothing of it is kept here, so it outlives a restart and needs no ledger. One that a token has made ends with that token.
 */
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Tokens } from './tokens.js';

export type SignedIn = 'admin' | 'approve' | 'read';
/** What a session was made by. */
export type SignedInBy = 'link' | 'token';

export interface Session {
  readonly standing: SignedIn;
  readonly by: SignedInBy;
}

export const SESSION_MS = 30 * 86_400_000;
const VALUE = /^(admin|approve|read)\.(link|token)\.(\d{10})\.([\w-]{86})$/;

export class Sessions {
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #name: string;

  /** @param key private, of Ed25519. */
  constructor(key: KeyObject) {
    this.#key = key;
    this.#publicKey = createPublicKey(key);
    // Ports of one machine share cookies: each bridge has a name of its own.
    const id = digestOf(this.#publicKey.export({ format: 'der', type: 'spki' }));
    this.#name = `stratum-bridge-${id.slice(0, 8)}`;
  }

  /** The cookie, as a header has it. @param untilMs on the machine's clock, as all times here. */
  cookieOf({ standing, by }: Session, tokens: Tokens, untilMs: number, isSecure: boolean): string {
    const until = String(Math.floor(untilMs / 1000));
    const signature = sign(null, textOf(standing, by, until, tokens), this.#key).toString('base64url');
    return this.#header(`${standing}.${by}.${until}.${signature}`, new Date(untilMs), isSecure);
  }

  /** What takes the cookie away again. */
  endOf(isSecure: boolean): string {
    return this.#header('', new Date(0), isSecure);
  }

  /** `undefined` where there is none, or none any more. */
  sessionIn(cookies: string | undefined, tokens: Tokens, nowMs: number): Session | undefined {
    const value = parseCookie(cookies ?? '')[this.#name];
    const [, standing, by, until = '', signature = ''] = VALUE.exec(value ?? '') ?? [];
    if (!isStanding(standing) || !isWay(by) || Number(until) * 1000 <= nowMs) return undefined;
    const text = textOf(standing, by, until, tokens);
    const isOurs = verify(null, text, this.#publicKey, Buffer.from(signature, 'base64url'));
    return isOurs ? { standing, by } : undefined;
  }

  #header(value: string, expires: Date, secure: boolean): string {
    return stringifySetCookie(this.#name, value, {
      ...{ path: '/', httpOnly: true, sameSite: 'strict', expires, secure },
    });
  }
}

/** The token is no part of the cookie: whoever has the cookie learns nothing of it. */
function textOf(standing: SignedIn, by: SignedInBy, until: string, tokens: Tokens): Buffer {
  const token = by === 'token' ? digestOf(tokens[standing] ?? '') : '';
  return Buffer.from(`stratum-bridge session\n${standing}\n${by}\n${until}\n${token}`);
}

function digestOf(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

function isStanding(word: string | undefined): word is SignedIn {
  return word === 'admin' || word === 'approve' || word === 'read';
}

function isWay(word: string | undefined): word is SignedInBy {
  return word === 'link' || word === 'token';
}
