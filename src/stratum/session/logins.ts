/** The names that one session has authorized, and why it may not have another. */
import { nameFault } from '../../core/names/names.js';
import { type Credentials, type Login, parseLogin, type Refusal } from '../admission/accounts.js';
import { banWords } from '../admission/bans.js';
import type { SessionParts } from './session-parts.js';

const NONE: readonly Login[] = [];

export class Logins {
  readonly #parts: Pick<SessionParts, 'bans' | 'rules'>;
  readonly #addressKey: string;
  /** As the rig writes it -> what it means. */
  readonly #known = new Map<string, Login>();
  #all: Login[] | undefined;

  constructor(parts: Pick<SessionParts, 'bans' | 'rules'>, addressKey: string) {
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

  /** In the order of their first authorize, each once. */
  get all(): readonly Login[] {
    return this.#all ?? NONE;
  }

  /** `undefined` when it means one that is there already: a login may be written with a difficulty and without. */
  add(text: string, { account, rig }: Login): Login | undefined {
    const known = this.#all?.find((each) => each.account === account && each.rig === rig);
    const login = known ?? { account, rig };
    this.#known.set(text, login);
    if (known) return undefined;
    // Nearly always one: a list that grows from nothing takes room for a dozen.
    if (this.#all) this.#all.push(login);
    else this.#all = [login];
    return login;
  }

  /** Some rigs submit as the account alone, having authorized with a rig's name. */
  find(text: string): Login | undefined {
    const exact = this.#known.get(text);
    if (exact) return exact;
    const { account } = parseLogin(text);
    for (const known of this.#known.values()) if (known.account === account) return known;
    return undefined;
  }

  /** An account among them under which nobody may mine here any more. */
  get barred(): string | undefined {
    const { accounts } = this.#parts.rules;
    return this.all.find(({ account }) => !accounts.allow(account))?.account;
  }

  /** `undefined` when the login may be added. @param onLook called where the account takes a while to look at. */
  whyNot(text: string, credentials: Credentials, nowMs: number, onLook: () => void): Refusal | undefined {
    const unfit = this.#whyUnfit(text, credentials, nowMs) ?? this.#whyTooMany(text);
    if (unfit !== undefined) return { text: unfit, kind: 'unfit' };
    return this.#parts.rules.accounts.whyRefused(credentials, onLook);
  }

  #whyTooMany(text: string): string | undefined {
    const { loginsPerSession } = this.#parts.rules.limits;
    if (this.has(text) || this.#known.size < loginsPerSession) return undefined;
    return `one connection may authorize at most ${loginsPerSession} logins`;
  }

  #whyUnfit(text: string, credentials: Credentials, nowMs: number): string | undefined {
    const { bans } = this.#parts;
    const { loginCharacters } = this.#parts.rules.limits;
    if (text.length > loginCharacters) {
      return `a login has at most ${loginCharacters} characters, this one ${text.length}`;
    }
    const fault = nameFault(credentials);
    if (fault) return fault;
    const { account, rig } = credentials;
    const ban = bans.ofRig(account, rig, this.#addressKey, nowMs);
    return ban && banWords(ban);
  }
}
