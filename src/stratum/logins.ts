/** The names that one session has authorized, and why it may not have another. */
import { nameFault } from '../core/names.js';
import { type Credentials, type Login, parseLogin, type Refusal } from './accounts.js';
import type { SessionParts } from './session-parts.js';

export class Logins {
  readonly #parts: Pick<SessionParts, 'accounts' | 'bans' | 'limits'>;
  readonly #addressKey: string;
  /** As the rig writes it -> what it means. */
  readonly #known = new Map<string, Login>();

  constructor(parts: Pick<SessionParts, 'accounts' | 'bans' | 'limits'>, addressKey: string) {
    this.#parts = parts;
    this.#addressKey = addressKey;
  }

  get any(): boolean {
    return this.#known.size > 0;
  }

  /** Authorized already, as the rig writes it. */
  has(text: string): boolean {
    return this.#known.has(text);
  }

  /** In the order of their first authorize. */
  get all(): readonly Login[] {
    return [...this.#known.values()];
  }

  add(text: string, { account, rig }: Login): void {
    this.#known.set(text, { account, rig });
  }

  /** Some rigs submit as the account alone, having authorized with a rig's name. */
  find(text: string): Login | undefined {
    const exact = this.#known.get(text);
    if (exact) return exact;
    const { account } = parseLogin(text);
    for (const known of this.#known.values()) if (known.account === account) return known;
    return undefined;
  }

  /** `undefined` when the login may be added. */
  whyNot(text: string, credentials: Credentials, nowMs: number): Refusal | undefined {
    const unfit = this.#whyUnfit(text, credentials, nowMs);
    if (unfit !== undefined) return { text: unfit, isGuess: false };
    const { loginsPerSession } = this.#parts.limits;
    const refusal = this.#parts.accounts.whyRefused(credentials);
    if (refusal || this.has(text) || this.#known.size < loginsPerSession) return refusal;
    return { text: `one connection may authorize at most ${loginsPerSession} logins`, isGuess: false };
  }

  #whyUnfit(text: string, credentials: Credentials, nowMs: number): string | undefined {
    const { bans } = this.#parts;
    const { loginCharacters } = this.#parts.limits;
    if (text.length > loginCharacters) {
      return `a login has at most ${loginCharacters} characters, this one ${text.length}`;
    }
    const fault = nameFault(credentials);
    if (fault) return fault;
    const { account, rig } = credentials;
    const ban = bans.ofRig(account, rig, this.#addressKey, nowMs);
    return ban && `banned until ${new Date(ban.untilMs).toISOString()}: ${ban.reason}`;
  }
}
