/**
 * The authorize requests of one session, in order. A wrong account or password is answered late, and so is a login under
 * which rigs were closed again and again; the rest waits behind.
 */

import { ERROR_CODES } from '../../wire/errors.js';
import type { AuthorizeRequest } from '../../wire/messages.js';
import { type Credentials, parseCredentials, type Refusal } from '../admission/accounts.js';
import { type Address, COSTS } from '../admission/address.js';
import { SlidingCount } from '../admission/budgets.js';
import type { Logins } from './logins.js';
import type { Replies } from './replies.js';
import type { SessionParts } from './session-parts.js';

/** What the requests of a session need of it. */
export interface Authorizer {
  readonly address: Address;
  authorized(request: AuthorizeRequest, credentials: Credentials): void;
  hint(text: string): void;
  dismiss(why: string): void;
}

interface LateAnswer {
  readonly dueAtMs: number;
  readonly behind: AuthorizeRequest[];
  answer(nowMs: number): void;
}

/** Of one session, in `invalidWindowMs`; one more ends it. */
const WRONG_LOGINS = 10;

type Parts = Pick<SessionParts, 'clock' | 'violations' | 'rules'>;

export class Authorizing {
  readonly #parts: Parts;
  readonly #logins: Logins;
  readonly #replies: Pick<Replies, 'refuse'>;
  readonly #authorizer: Authorizer;
  #late: LateAnswer | undefined;
  /** From the first one on. */
  #wrong: SlidingCount | undefined;

  constructor(parts: Parts, logins: Logins, replies: Pick<Replies, 'refuse'>, authorizer: Authorizer) {
    this.#parts = parts;
    this.#logins = logins;
    this.#replies = replies;
    this.#authorizer = authorizer;
  }

  take(request: AuthorizeRequest): void {
    if (this.#late) this.#waitBehind(this.#late, request);
    else this.#settle(request, this.#parts.clock.nowMs(), true);
  }

  /** Called about once a second. */
  tick(nowMs: number): void {
    const late = this.#late;
    if (!late || nowMs < late.dueAtMs) return;
    this.#late = undefined;
    late.answer(nowMs);
    for (const request of late.behind) this.take(request);
  }

  #settle(request: AuthorizeRequest, nowMs: number, mayWait: boolean): void {
    const { address } = this.#authorizer;
    const credentials = parseCredentials(request.login, request.password);
    const refusal = this.#logins.whyNot(request.login, credentials, nowMs);
    if (refusal?.kind === 'unfit') this.#refuse(request, refusal.text);
    else if (refusal) this.#isWrong(request, refusal, nowMs);
    else {
      const isIn = this.#logins.has(request.login);
      const delayMs = isIn || !mayWait ? 0 : this.#parts.violations.delayMs(credentials, address, nowMs);
      if (delayMs === 0) this.#authorizer.authorized(request, credentials);
      else this.#answerAt(nowMs + delayMs, (atMs) => this.#settle(request, atMs, false));
    }
  }

  #isWrong(request: AuthorizeRequest, { text, kind }: Refusal, nowMs: number): void {
    const { address } = this.#authorizer;
    const ban = kind === 'guess' ? this.#parts.violations.guessed(address, nowMs) : undefined;
    if (kind === 'unlisted') address.charge(COSTS.unlisted, nowMs);
    this.#wrong ??= new SlidingCount(WRONG_LOGINS, this.#parts.rules.limits.invalidWindowMs);
    const isTolerable = this.#wrong.add(nowMs);
    if (ban) this.#authorizer.dismiss(`banned: ${ban}`);
    else if (!isTolerable) this.#authorizer.dismiss(`more than ${WRONG_LOGINS} wrong accounts or passwords`);
    else this.#answerAt(nowMs + this.#parts.rules.limits.refusalDelayMs, () => this.#refuse(request, text));
  }

  #answerAt(dueAtMs: number, answer: (nowMs: number) => void): void {
    this.#late = { dueAtMs, behind: [], answer };
  }

  #waitBehind({ behind }: LateAnswer, request: AuthorizeRequest): void {
    if (behind.push(request) > this.#parts.rules.limits.loginsPerSession)
      this.#authorizer.dismiss('too many logins wait for an answer');
  }

  #refuse({ id }: AuthorizeRequest, text: string): void {
    this.#replies.refuse(id, false, ERROR_CODES.unauthorized, text);
    this.#authorizer.hint(text);
  }
}
