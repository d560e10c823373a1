/** Webhooks that miners ask for: only where the operator allows it, only for their own accounts, and few. */
import type { AlertBook, HookAnswer, HookAsked, MinerHooks } from '../../bridge/alerts/alerts.js';
import { minerSecret, sealedUrl } from './miner-keys.js';
import { type Claim, type PasswordCheck, whyNotOwner } from './owner-proof.js';
import { refuseLiteral } from './public-address.js';
import type { AlertRules } from './rules.js';

export interface HooksOptions {
  readonly book: Pick<AlertBook, 'subscribe' | 'unsubscribe'>;
  readonly rules: () => AlertRules;
  readonly checkPassword: PasswordCheck;
  /** The time of day. */
  readonly nowMs: () => number;
}

/** Of an account, and of all. */
const MOST = { ofAccount: 3, inAll: 10_000 };
/** Of an account, passwords right or wrong, and signatures that are right: nobody guesses a password by these. */
const TRIES = { most: 10, withinMs: 600_000, accounts: 10_000 };

export function minerHooks(options: HooksOptions): MinerHooks {
  const { book, rules, nowMs } = options;
  const tries = new Tries(nowMs);
  return {
    async add(asked) {
      const refusal = whyNot('add', asked, options, tries);
      if (refusal) return refusal;
      const { account, url } = asked;
      const isKept = await book.subscribe(account, sealedUrl(rules().minersKey, account, url), MOST);
      if (!isKept) return refused(409, `an account has at most ${MOST.ofAccount} webhooks: remove one first`);
      return { state: 'added', secret: minerSecret(rules().minersKey, account, url) };
    },
    async remove(asked) {
      const refusal = whyNot('remove', asked, options, tries);
      if (refusal) return refusal;
      const { account, url } = asked;
      const was = await book.unsubscribe(account, sealedUrl(rules().minersKey, account, url));
      return was ? { state: 'removed' } : refused(404, 'the account has no such webhook');
    },
  };
}

function whyNot(
  order: Claim['order'],
  asked: HookAsked,
  { rules, checkPassword, nowMs }: HooksOptions,
  tries: Tries,
): HookAnswer | undefined {
  const { minersKey, minersPrivate } = rules();
  if (minersKey === '') return refused(403, 'this pool has no webhooks for miners');
  const fault = urlFault(asked.url, minersPrivate);
  if (fault !== undefined) return refused(400, fault);
  // Nobody guesses a signature: a stranger's wrong ones take no try from the owner.
  const isGuess = asked.signature === undefined;
  if (isGuess && !tries.count(asked.account)) return TOO_MANY_TRIES;
  const says = whyNotOwner({ order, ...asked }, asked, checkPassword, nowMs());
  if (says !== undefined) return refused(401, says);
  return isGuess || tries.count(asked.account) ? undefined : TOO_MANY_TRIES;
}

const TOO_MANY_TRIES = refused(429, 'too many tries for this account: come again in ten minutes');

function refused(status: 400 | 401 | 403 | 404 | 409 | 429, says: string): HookAnswer {
  return { state: 'refused', status, says };
}

/** What no URL needs, and the URL parser would pass over. */
const UNFIT = /[\s\p{Cc}\p{Cs}]/u;
const HTTPS_PORT = 443;
/** Below are services that were never meant to be asked by others' webhooks. */
const FIRST_FREE_PORT = 1024;

function urlFault(text: string, mayBePrivate: boolean): string | undefined {
  if (UNFIT.test(text)) return 'url holds a space or a control character';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') return 'url is none that begins with https://';
  if (url.username !== '' || url.password !== '') return 'url holds a login, which is not sent';
  const port = Number(url.port || HTTPS_PORT);
  if (!mayBePrivate && port !== HTTPS_PORT && port < FIRST_FREE_PORT)
    return `url has a port that is neither ${HTTPS_PORT} nor ${FIRST_FREE_PORT} or above`;
  try {
    if (!mayBePrivate) refuseLiteral(url.hostname);
    return undefined;
  } catch (error) {
    return `url ${(error as Error).message}`;
  }
}

/** Counted by account; who asks is counted by address before. */
class Tries {
  readonly #nowMs: () => number;
  readonly #counts = new Map<string, { count: number; readonly untilMs: number }>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** False when there were too many. */
  count(account: string): boolean {
    const nowMs = this.#nowMs();
    const known = this.#counts.get(account);
    if (known && known.untilMs > nowMs) return ++known.count <= TRIES.most;
    this.#counts.delete(account);
    // The oldest of too many goes: an address that names so many has been stopped long before.
    const [oldest] = this.#counts.size >= TRIES.accounts ? this.#counts.keys() : [];
    if (oldest !== undefined) this.#counts.delete(oldest);
    this.#counts.set(account, { count: 1, untilMs: nowMs + TRIES.withinMs });
    return true;
  }
}
