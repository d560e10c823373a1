/** The authorize requests of one session, in order. A wrong account or password is answered late, and the rest behind it. */
import { type Credentials, parseCredentials } from './accounts.js';
import type { Address } from './address.js';
import { ERROR_CODES } from './errors.js';
import type { Logins } from './logins.js';
import type { AuthorizeRequest } from './messages.js';
import type { Replies } from './replies.js';
import type { SessionParts } from './session-parts.js';

/** What the requests of a session need of it. */
export interface Authorizer {
  readonly address: Address;
  authorized(request: AuthorizeRequest, credentials: Credentials): void;
  end(reason: string): void;
}

interface LateRefusal {
  readonly request: AuthorizeRequest;
  readonly text: string;
  readonly dueAtMs: number;
  readonly behind: AuthorizeRequest[];
}

export class Authorizing {
  readonly #parts: SessionParts;
  readonly #logins: Logins;
  readonly #replies: Replies;
  readonly #authorizer: Authorizer;
  #late: LateRefusal | undefined;

  constructor(parts: SessionParts, logins: Logins, replies: Replies, authorizer: Authorizer) {
    this.#parts = parts;
    this.#logins = logins;
    this.#replies = replies;
    this.#authorizer = authorizer;
  }

  take(request: AuthorizeRequest): void {
    if (this.#late) this.#waitBehind(this.#late, request);
    else {
      const nowMs = this.#parts.clock.nowMs();
      const credentials = parseCredentials(request.login, request.password);
      const refusal = this.#logins.whyNot(request.login, credentials, nowMs);
      if (refusal?.isGuess) this.#guessed(request, refusal.text, nowMs);
      else if (refusal) this.#refuse(request, refusal.text);
      else this.#authorizer.authorized(request, credentials);
    }
  }

  /** Called about once a second. */
  tick(nowMs: number): void {
    const late = this.#late;
    if (!late || nowMs < late.dueAtMs) return;
    this.#late = undefined;
    this.#refuse(late.request, late.text);
    for (const request of late.behind) this.take(request);
  }

  #guessed(request: AuthorizeRequest, text: string, nowMs: number): void {
    const ban = this.#parts.offences.guessed(this.#authorizer.address, nowMs);
    const dueAtMs = nowMs + this.#parts.limits.refusalDelayMs;
    if (ban) this.#authorizer.end(`banned: ${ban}`);
    else this.#late = { request, text, dueAtMs, behind: [] };
  }

  #waitBehind({ behind }: LateRefusal, request: AuthorizeRequest): void {
    if (behind.push(request) > this.#parts.limits.loginsPerSession)
      this.#authorizer.end('too many logins wait for an answer');
  }

  #refuse({ id }: AuthorizeRequest, text: string): void {
    this.#replies.refuse(id, false, ERROR_CODES.unauthorized, text);
  }
}
