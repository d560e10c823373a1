/**
 * Sessions of people at the page. A session is a cookie that says what its holder may do and until when, signed with Ed25519:
 *
 *     admin.link.1790000000.SIGNATURE
 *     read.token-prometheus.FINGERPRINT.1790000000.SIGNATURE
 *
 * Nothing of it is kept, so it outlives a restart and needs no ledger. It holds at all bridges that know the public key of the one that
 * signed it. One that a token has made ends with that token.
 */
import { createHash, createHmac, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { SessionSigner } from '../../bridge/watch/session-signers.js';
import { TOKEN_ACCESS, type TokenAccess } from '../../operations/enums.js';
import type { Token } from './tokens.js';

export interface Session {
  readonly standing: TokenAccess;
  /** What it was made by: the name of a token, or absent a link. */
  readonly token?: string;
}

interface SessionsOptions {
  /** Of the other bridges; it rejects while nobody knows. */
  readonly others?: () => Promise<readonly SessionSigner[]>;
  /** On a rising clock. */
  readonly nowMs?: () => number;
}

export const SESSION_MS = 30 * 86_400_000;
const VALUE = /^([a-z]+)\.(?:link|token-([\w-]{1,64})\.([\w-]{22}))\.(\d{10})\.([\w-]{86})$/;
const COOKIE = 'stratum-bridge-';
/** Who shows cookies that nobody here has made has the others asked no more often. */
const ASK_EVERY_MS = 10_000;

/** Whose sessions are taken. */
interface KnownSigner {
  readonly key: KeyObject;
  takes(fingerprint: string, tokens: readonly Token[]): boolean;
}

export class Sessions {
  readonly #key: KeyObject;
  readonly #secret: Buffer;
  readonly #name: string;
  readonly #own: KnownSigner;
  readonly #options: SessionsOptions;
  /** By the name of the cookie. */
  #others: ReadonlyMap<string, KnownSigner> = new Map();
  #askedAtMs = Number.NEGATIVE_INFINITY;

  /** @param key private, of Ed25519. */
  constructor(key: KeyObject, options: SessionsOptions = {}) {
    this.#key = key;
    this.#secret = key.export({ format: 'der', type: 'pkcs8' });
    this.#options = options;
    const publicKey = createPublicKey(key);
    this.#name = cookieNameOf(derOf(publicKey));
    this.#own = {
      key: publicKey,
      takes: (fingerprint, tokens) => tokens.some((token) => this.#fingerprintOf(token) === fingerprint),
    };
  }

  /** What other bridges take sessions of this one by. */
  signer(tokens: readonly Token[]): SessionSigner {
    const key = derOf(this.#own.key).toString('base64url');
    return { key, tokens: tokens.map((token) => this.#fingerprintOf(token)) };
  }

  /** The cookie, as a header has it. @param untilMs on the machine's clock, as all times here. */
  cookieOf({ standing, token }: Session, tokens: readonly Token[], untilMs: number, secure: boolean): string {
    const made = tokens.find(({ name, access }) => name === token && access === standing);
    const by = made ? `token-${made.name}.${this.#fingerprintOf(made)}` : 'link';
    const said = `${standing}.${by}.${Math.floor(untilMs / 1000)}`;
    const signature = sign(null, textOf(said), this.#key).toString('base64url');
    return headerOf(this.#name, `${said}.${signature}`, new Date(untilMs), secure);
  }

  /** What takes the session away again, whichever bridge has made it. */
  endOf(cookies: string | undefined, secure: boolean): string[] {
    const names = Object.keys(parseCookie(cookies ?? '')).filter((name) => this.#others.has(name));
    return [this.#name, ...names].map((name) => headerOf(name, '', new Date(0), secure));
  }

  /** Asks who signs, where a cookie may be of another bridge. To be awaited before {@link sessionIn}. */
  async learn(cookies: string | undefined): Promise<void> {
    const { others, nowMs = () => performance.now() } = this.#options;
    if (!others || nowMs() - this.#askedAtMs < ASK_EVERY_MS) return;
    const names = Object.keys(parseCookie(cookies ?? '')).filter((name) => name.startsWith(COOKIE));
    if (!names.some((name) => name !== this.#name)) return;
    this.#askedAtMs = nowMs();
    const known = others().then((signers) => new Map(signers.map(knownSigner)));
    this.#others = await known.catch(() => this.#others); // the ledger is away: those hold that are known
  }

  /** `undefined` where there is none, or none any more. */
  sessionIn(cookies: string | undefined, tokens: readonly Token[], nowMs: number): Session | undefined {
    for (const [name, value = ''] of Object.entries(parseCookie(cookies ?? ''))) {
      const signer = name === this.#name ? this.#own : this.#others.get(name);
      const session = signer && sessionOf(value, signer, tokens, nowMs);
      if (session) return session;
    }
    return undefined;
  }

  /** Of a token, for this bridge alone: nobody learns anything of the secret by it. */
  #fingerprintOf({ name, access, secret }: Token): string {
    const whole = createHmac('sha256', this.#secret).update(`${name}\n${access}\n${secret}`).digest();
    return whole.subarray(0, 16).toString('base64url');
  }
}

function sessionOf(
  value: string,
  signer: KnownSigner,
  tokens: readonly Token[],
  nowMs: number,
): Session | undefined {
  const [, access, token, fingerprint = '', until, signature = ''] = VALUE.exec(value) ?? [];
  const standing = TOKEN_ACCESS.find((each) => each === access);
  if (!standing || Number(until) * 1000 <= nowMs) return undefined;
  const said = value.slice(0, -signature.length - 1);
  if (!verify(null, textOf(said), signer.key, Buffer.from(signature, 'base64url'))) return undefined;
  if (token === undefined) return { standing };
  return signer.takes(fingerprint, tokens) ? { standing, token } : undefined;
}

function knownSigner({ key, tokens }: SessionSigner): [cookie: string, KnownSigner] {
  const der = Buffer.from(key, 'base64url');
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return [cookieNameOf(der), { key: publicKey, takes: (fingerprint) => tokens.includes(fingerprint) }];
}

/** Ports of one machine share cookies: each signer has a name of its own. */
function cookieNameOf(der: Buffer): string {
  return COOKIE + createHash('sha256').update(der).digest('base64url').slice(0, 8);
}

function derOf(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' });
}

function textOf(said: string): Buffer {
  return Buffer.from(`stratum-bridge session\n${said}`);
}

function headerOf(name: string, value: string, expires: Date, secure: boolean): string {
  return stringifySetCookie(name, value, {
    ...{ path: '/', httpOnly: true, sameSite: 'strict', expires, secure },
  });
}
