/** What a rig sends, given to who answers it. */
import { NOBODY } from '../../core/names/names.js';
import { difficultyOf } from '../../core/work/target.js';
import { ERROR_CODES, type ErrorCode } from '../../wire/errors.js';
import type { RequestId } from '../../wire/json.js';
import type { Malformed, Response, RigMessage } from '../../wire/messages.js';
import type { Login } from '../admission/accounts.js';
import { SlidingCount } from '../admission/budgets.js';
import type { JobFeed } from '../jobs/job-feed.js';
import type { Authorizing } from './authorizing.js';
import type { Replies } from './replies.js';
import type { Requests } from './requests.js';
import type { SelfDescription } from './self-description.js';
import type { SessionParts } from './session-parts.js';
import type { Submits } from './submits.js';

/** The session whose inbox it is. */
export interface Addressee {
  readonly logins: readonly Login[];
  answeredAtMs: number;
  garbled(why: string): void;
}

interface InboxParts {
  readonly requests: Requests;
  readonly authorizing: Authorizing;
  readonly submits: Submits;
  readonly feed: JobFeed;
  readonly self: SelfDescription;
  readonly replies: Replies;
}

export class Inbox {
  readonly #clock: SessionParts['clock'];
  readonly #requests: Requests;
  readonly #authorizing: Authorizing;
  readonly #submits: Submits;
  readonly #feed: JobFeed;
  readonly #self: SelfDescription;
  readonly #replies: Replies;
  readonly #session: Addressee;
  readonly #invalid: SlidingCount;

  constructor(
    { clock, rules }: Pick<SessionParts, 'clock' | 'rules'>,
    parts: InboxParts,
    session: Addressee,
  ) {
    const { invalidMessages, invalidWindowMs } = rules.limits;
    this.#clock = clock;
    this.#requests = parts.requests;
    this.#authorizing = parts.authorizing;
    this.#submits = parts.submits;
    this.#feed = parts.feed;
    this.#self = parts.self;
    this.#replies = parts.replies;
    this.#session = session;
    this.#invalid = new SlidingCount(invalidMessages, invalidWindowMs);
  }

  /** @param tooFast the rig is past its rate. */
  take(message: RigMessage, tooFast: boolean): void {
    switch (message.kind) {
      case 'submit':
        this.#feed.submitted();
        this.#submits.take(this.#self.submitted(message), tooFast);
        break;
      case 'subscribe':
        this.#requests.subscribe(message);
        break;
      case 'authorize':
        this.#authorizing.take(message);
        break;
      case 'malformed':
        this.#malformed(message);
        break;
      case 'response':
        this.#answered(message);
        break;
      case 'ping':
        this.#replies.answer(message.id, 'pong');
        break;
      case 'extranonceSubscribe':
        this.#requests.extranonceSubscribe(message.id);
        break;
      case 'configure':
        this.#requests.configure(message);
        break;
      case 'suggestDifficulty':
        this.#requests.suggest(message.id, message.difficulty);
        break;
      case 'suggestTarget':
        this.#requests.suggest(message.id, Number(difficultyOf(message.target)));
        break;
      case 'unknown':
        this.#refuse(message.id, ERROR_CODES.unknownMethod, `no method ${message.method} here`);
    }
  }

  #answered(message: Response): void {
    this.#session.answeredAtMs = this.#clock.nowMs();
    this.#requests.response(message);
  }

  #malformed({ id, code, detail, method }: Malformed): void {
    if (method === 'mining.submit') {
      const [login = NOBODY] = this.#session.logins;
      this.#submits.malformed(id, login, detail);
      return;
    }
    this.#refuse(id, code, detail);
    if (this.#invalid.add(this.#clock.nowMs())) return;
    this.#session.garbled(`more than ${this.#invalid.max} invalid messages; the last: ${detail}`);
  }

  #refuse(id: RequestId, code: ErrorCode, detail: string): void {
    this.#replies.refuse(id, null, code, detail);
  }
}
