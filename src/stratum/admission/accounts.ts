/**
 * Who may mine here and under which name.
 *
 *     login     account.rig          split at the first dot
 *               account.rig+1e12     with a fixed share difficulty, in expected hashes
 *     password  secret,fd=1e12       the same; parts are parted by commas, semicolons or spaces
 *               secret,d=1e12        the share difficulty to begin with
 *               secret,h=1.2T        hashes a second, from which that follows; or th=1.2
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import type { Name } from '../../core/names/names.js';
import { readQuantity } from '../../values/units.js';
import { forgetOldest } from '../bounded.js';

/** The rig is empty when the login names none. */
export type Login = Name;

/** Patterns are accounts in which `*` stands for any characters. */
export type AccountPolicy =
  /** Anyone: the name only labels the rig. */
  | { readonly mode: 'open' }
  | { readonly mode: 'list'; readonly accounts: readonly string[] }
  /** Accounts of one key, `k:` and its digits: a chain can pay each of them. */
  | { readonly mode: 'key' }
  /** Account pattern to password; the first pattern that fits decides. */
  | { readonly mode: 'password'; readonly passwords: Readonly<Record<string, string>> };

/** A login and a password taken apart. What is asked for is 1 or more and finite; the operator's limits still bound it. */
export interface Credentials extends Login {
  readonly password: string;
  /** Expected hashes a share. */
  readonly fixedDifficulty?: number | undefined;
  /** Expected hashes a share, for vardiff to begin with. */
  readonly startDifficulty?: number | undefined;
  readonly hashesPerSecond?: number | undefined;
}

const LOGIN_DIFFICULTY = /\+(\d+(?:\.\d+)?(?:e\d{1,2})?)$/i;
/** An account that ends so was meant to ask for a difficulty, as in `account+1e12.rig`: nobody could ever be paid under it. */
const MISPLACED_DIFFICULTY = /\+\d[\d.e+]*$/i;
/** With the separators before it, and with spaces after it that separate nothing. */
const PASSWORD_PART = /[,; ]*[^,; ]*(?: +(?=[,;]|$))?/g;
const HINT = /^[,; ]*(fd|d|th|h)=([^,; ]+) *$/i;
/** To read one takes a microsecond. A password of more parts, which nobody has, is a secret as a whole. */
const MOST_PARTS = 32;
const TERA = 1e12;

export function parseLogin(login: string): Login {
  const name = login.replace(LOGIN_DIFFICULTY, '');
  const dot = name.indexOf('.');
  return dot === -1 ? { account: name, rig: '' } : { account: name.slice(0, dot), rig: name.slice(dot + 1) };
}

export function parseCredentials(login: string, password: string): Credentials {
  const [secret, hints] = secretAndHints(password);
  const inLogin = readQuantity(LOGIN_DIFFICULTY.exec(login)?.[1] ?? '', 'hashes');
  const terahashes = hints.get('th');
  return {
    ...parseLogin(login),
    password: secret,
    fixedDifficulty: hints.get('fd') ?? orNone(inLogin),
    startDifficulty: hints.get('d'),
    hashesPerSecond: hints.get('h') ?? (terahashes && terahashes * TERA),
  };
}

/** The secret as it was written, without the hints; the last of a kind counts. A hint whose value is no number is none. */
function secretAndHints(password: string): [secret: string, hints: ReadonlyMap<string, number | undefined>] {
  const hints = new Map<string, number | undefined>();
  const parts = password.match(PASSWORD_PART) ?? [];
  if (parts.length > MOST_PARTS) return [password, hints];
  const kept = parts.filter((part) => {
    const [, key = '', text = ''] = HINT.exec(part) ?? [];
    const value = readQuantity(text, 'hashes');
    if (value !== undefined) hints.set(key.toLowerCase(), orNone(value));
    return value === undefined;
  });
  const secret = kept.join('');
  return [kept[0] === parts[0] ? secret : secret.replace(/^[,; ]+/, ''), hints];
}

/** What is below 1 asks for nothing. */
function orNone(value = 0): number | undefined {
  return value >= 1 ? value : undefined;
}

/** Why credentials are refused. */
export interface Refusal {
  /** As a sentence. */
  readonly text: string;
  /**
   * `unfit`: it is none, whatever the settings; `unlisted`: nobody may mine under that account, which is no secret; `guess`:
   * another password would do, so this may be one of many tries.
   */
  readonly kind: 'unfit' | 'unlisted' | 'guess';
}

/** An account policy, made ready for many questions. */
export class Accounts {
  readonly #mode: AccountPolicy['mode'];
  readonly #patterns: PatternList;
  readonly #passwords: readonly string[];
  readonly #keys = new KeyAccounts();

  constructor(policy: AccountPolicy) {
    const passwords = policy.mode === 'password' ? policy.passwords : {};
    this.#mode = policy.mode;
    this.#patterns = new PatternList(policy.mode === 'list' ? policy.accounts : Object.keys(passwords));
    this.#passwords = Object.values(passwords);
  }

  /** A name proves who the rig is. */
  get areProven(): boolean {
    return this.#mode === 'password';
  }

  /** Whether somebody may mine under this account, with the right password where there is one. */
  allow(account: string): boolean {
    if (this.#mode === 'key') return this.#keys.fault(account) === undefined;
    return this.#mode === 'open' || this.#patterns.firstThatFits(account) !== undefined;
  }

  /** `undefined` when the credentials are good. @param onLook called where that takes a while. */
  whyRefused({ account, password }: Credentials, onLook: () => void = () => {}): Refusal | undefined {
    if (account === '') return { text: 'the login names no account: use account.rig', kind: 'unfit' };
    if (MISPLACED_DIFFICULTY.test(account) && !this.#patterns.names(account)) {
      const text = `the account ${account} ends like a difficulty, which belongs at the end: account.rig+1e12`;
      return { text, kind: 'unfit' };
    }
    if (this.#mode === 'open') return undefined;
    if (this.#mode === 'key') {
      const fault = this.#keys.fault(account, onLook);
      return fault === undefined ? undefined : { text: fault, kind: 'unlisted' };
    }
    const index = this.#patterns.firstThatFits(account);
    if (this.#mode === 'list') {
      if (index !== undefined) return undefined;
      onLook();
      return { text: `the account ${account} is not on the list of this bridge`, kind: 'unlisted' };
    }
    const secret = index === undefined ? undefined : this.#passwords[index];
    if (sameSecret(secret ?? '', password) && secret !== undefined) return undefined;
    // One answer for both faults, so that nobody learns which accounts there are.
    return { text: `no such account and password: ${account}`, kind: 'guess' };
  }
}

const KEY_ACCOUNT = /^k:([0-9a-f]{64})$/;

/**
 * Tells accounts of a key from others. Half of all 32 bytes are no point of the curve, so nobody has a key to them: what is
 * credited under such a name is lost. Keys of small order are known to all.
 */
class KeyAccounts {
  /** Looking at a key takes 0.2 ms, and many rigs have one account. */
  readonly #good = new Map<string, true>();

  /** What is wrong, as a sentence. */
  fault(account: string, onLook: () => void = () => {}): string | undefined {
    if (this.#good.has(account)) return undefined;
    const [, key] = KEY_ACCOUNT.exec(account) ?? [];
    if (key === undefined)
      return `the account ${account} cannot be paid here: it has to be k: and the 64 lower-case hex digits of an Ed25519 public key`;
    onLook();
    if (!isPublicKey(key))
      return `the account ${account} cannot be paid: its 64 digits are no Ed25519 public key, so look for a slip in them`;
    this.#good.set(account, true);
    forgetOldest(this.#good, MOST_KNOWN_KEYS);
    return undefined;
  }
}

const MOST_KNOWN_KEYS = 20_000;

/** `node:crypto` takes any 32 bytes for a key. */
function isPublicKey(hex: string): boolean {
  try {
    return !ed25519.Point.fromHex(hex).isSmallOrder();
  } catch {
    return false; // how it tells that no point has this encoding
  }
}

/** Account patterns in order: names are found by key, only those with `*` are tried one by one. */
class PatternList {
  readonly #names = new Map<string, number>();
  readonly #wild: { readonly index: number; readonly parts: readonly string[] }[] = [];

  constructor(patterns: readonly string[]) {
    for (const [index, pattern] of patterns.entries()) {
      if (pattern.includes('*')) this.#wild.push({ index, parts: pattern.split('*') });
      else if (!this.#names.has(pattern)) this.#names.set(pattern, index);
    }
  }

  /** Whether the account stands in the list as it is. */
  names(account: string): boolean {
    return this.#names.has(account);
  }

  firstThatFits(account: string): number | undefined {
    const named = this.#names.get(account);
    for (const { index, parts } of this.#wild) {
      if (named !== undefined && named < index) break;
      if (fits(parts, account)) return index;
    }
    return named;
  }
}

/** Walks both texts at once, so that no pattern takes long, whatever it holds. */
function fits(parts: readonly string[], account: string): boolean {
  const [head = '', ...rest] = parts;
  const tail = rest.pop() ?? '';
  if (account.length < head.length + tail.length || !account.startsWith(head) || !account.endsWith(tail))
    return false;
  const end = account.length - tail.length;
  let from = head.length;
  for (const part of rest) {
    const at = account.indexOf(part, from);
    if (at === -1 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}

function sameSecret(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
