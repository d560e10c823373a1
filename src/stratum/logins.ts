/** The names that one session has authorized, and why it may not have another. */
import { nameFault } from '../core/names.js';
import { type Credentials, type Login, parseLogin, whyRefused } from './accounts.js';
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

  /** As a sentence; `undefined` when the login may be added. */
  whyNot(text: string, credentials: Credentials, nowMs: number): string | undefined {
    const { limits, bans, accounts } = this.#parts;
    const { loginCharacters, loginsPerSession } = limits;
    if (text.length > loginCharacters) {
      return `a login has at most ${loginCharacters} characters, this one ${text.length}`;
    }
    const fault = nameFault(credentials);
    if (fault) return fault;
    const { account, rig } = credentials;
    const ban = bans.ofRig(account, rig, this.#addressKey, nowMs);
    if (ban) return `banned until ${new Date(ban.untilMs).toISOString()}: ${ban.reason}`;
    const refusal = whyRefused(accounts, credentials);
    if (refusal || this.#known.has(text) || this.#known.size < loginsPerSession) return refusal;
    return `one connection may authorize at most ${loginsPerSession} logins`;
  }
}
