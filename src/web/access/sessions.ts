/**
 * Sessions of people at the page. A session is a cookie that says what its holder may do and until when, signed with Ed25519:
 *
 *     admin.link.1790000000.SIGNATURE
 *     read.token-prometheus.1790000000.SIGNATURE
 *
 * Nothing of it is kept here, so it outlives a restart and needs no ledger. One that a token has made ends with that token.
 */
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import { TOKEN_ACCESS, type TokenAccess } from '../../operations/enums.js';
import type { Token } from './tokens.js';

export interface Session {
  readonly standing: TokenAccess;
  /** What it was made by: the name of a token, or absent a link. */
  readonly token?: string;
}

export const SESSION_MS = 30 * 86_400_000;
const VALUE = /^([a-z]+)\.(?:link|token-([\w-]{1,64}))\.(\d{10})\.([\w-]{86})$/;

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
  cookieOf(session: Session, tokens: readonly Token[], untilMs: number, isSecure: boolean): string {
    const until = String(Math.floor(untilMs / 1000));
    const signature = sign(null, textOf(session, until, tokens), this.#key).toString('base64url');
    const by = session.token === undefined ? 'link' : `token-${session.token}`;
    return this.#header(`${session.standing}.${by}.${until}.${signature}`, new Date(untilMs), isSecure);
  }

  /** What takes the cookie away again. */
  endOf(isSecure: boolean): string {
    return this.#header('', new Date(0), isSecure);
  }

  /** `undefined` where there is none, or none any more. */
  sessionIn(cookies: string | undefined, tokens: readonly Token[], nowMs: number): Session | undefined {
    const value = parseCookie(cookies ?? '')[this.#name];
    const [, access, token, until = '', signature = ''] = VALUE.exec(value ?? '') ?? [];
    const standing = TOKEN_ACCESS.find((each) => each === access);
    if (!standing || Number(until) * 1000 <= nowMs) return undefined;
    const session = { standing, ...(token === undefined ? {} : { token }) };
    const text = textOf(session, until, tokens);
    const isOurs = verify(null, text, this.#publicKey, Buffer.from(signature, 'base64url'));
    return isOurs ? session : undefined;
  }

  #header(value: string, expires: Date, secure: boolean): string {
    return stringifySetCookie(this.#name, value, {
      ...{ path: '/', httpOnly: true, sameSite: 'strict', expires, secure },
    });
  }
}

/** The secret of a token is no part of the cookie: whoever has the cookie learns nothing of it. */
function textOf({ standing, token }: Session, until: string, tokens: readonly Token[]): Buffer {
  const own = tokens.find(({ name, access }) => name === token && access === standing);
  const by = token === undefined ? 'link' : `token\n${token}\n${digestOf(own?.secret ?? '')}`;
  return Buffer.from(`stratum-bridge session\n${standing}\n${until}\n${by}`);
}

function digestOf(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
