/**
 * What a rig asks for before it mines and beside it: nonces, a name to be paid under, newer methods, a difficulty of its own.
 *
 * Subscribe and authorize come in either order; once both are there it gets jobs.
 */
import type { SessionInfo } from '../../bridge/events.js';
import { NONCE2_BYTES, nonce1ToHex } from '../../core/jobs/nonce.js';
import type { Difficulty } from '../../core/work/target.js';
import { ERROR_CODES } from '../../wire/errors.js';
import { type JsonValue, type RequestId, requestIdOf } from '../../wire/json.js';
import {
  type AuthorizeRequest,
  type ConfigureRequest,
  type Response,
  type SubscribeRequest,
  subscribeResult,
} from '../../wire/messages.js';
import type { Credentials } from '../admission/accounts.js';
import type { JobFeed } from '../jobs/job-feed.js';
import type { Lease } from '../resume/nonce-leases.js';
import type { Resumption } from '../resume/resumption.js';
import type { RigSession } from '../resume/rig-record.js';
import type { Logins } from './logins.js';
import type { Replies } from './replies.js';
import type { SelfDescription } from './self-description.js';
import type { SessionParts, TokenOwner } from './session-parts.js';

const EXTRANONCE_EXTENSION = 'subscribe-extranonce';
const VERSION_ID = requestIdOf('version');
/** A wish may take a job of its own to be heard. Those from before the first job do not. */
const WISH_EVERY_MS = 10_000;
const DIFFICULTY_IS_SET = 'the share difficulty is fixed here, or said in the password';
const TOO_MANY_WISHES = 'a rig may ask for another share difficulty once in ten seconds';

/** The session whose requests they are. */
export interface Requester extends TokenOwner, RigSession {
  readonly info: SessionInfo;
  readonly addressKey: string;
  /** Subscribed and authorized. */
  readonly ready: boolean;
  /** Hashes a second, by its shares. */
  readonly shownSpeed: number;
  offerNewest(): void;
  hint(text: string): void;
}

/** What a session is made of, so far as its requests change it. */
interface RequestParts {
  readonly replies: Replies;
  readonly resumption: Resumption;
  readonly self: SelfDescription;
  readonly logins: Logins;
  readonly feed: JobFeed;
}

export class Requests {
  readonly #shared: SessionParts;
  readonly #parts: RequestParts;
  readonly #session: Requester;
  /** Where an operator held its difficulty when it was told last. */
  #heldAt: Difficulty | undefined;
  #wishedAtMs = Number.NEGATIVE_INFINITY;

  constructor(shared: SessionParts, parts: RequestParts, session: Requester) {
    this.#shared = shared;
    this.#parts = parts;
    this.#session = session;
  }

  subscribe({ id, agent, resume }: SubscribeRequest): void {
    const { self, resumption, replies } = this.#parts;
    self.subscribed(agent);
    const isNew = resumption.lease === undefined;
    const lease = resumption.lease ?? resumption.take(self.resumed(resume), this.#session);
    if (!lease) {
      const full = 'the bridge is full: all of the nonce space is taken';
      replies.refuse(id, null, ERROR_CODES.other, full);
      this.#session.end('the nonce space is full');
      return;
    }
    const token = resume === undefined ? null : resumption.token;
    replies.answer(id, subscribeResult(self.nonce1For(lease.nonce1), token));
    if (isNew) this.#enter(true);
    else this.settleTarget();
  }

  authorized({ id, login: text }: AuthorizeRequest, credentials: Credentials): void {
    const { logins, self, replies } = this.#parts;
    const isFirst = !logins.any;
    if (!logins.has(text)) this.#add(text, credentials);
    replies.answer(id, self.quirks.authorizeAnswer ?? true);
    self.hint(credentials);
    this.#choose(credentials.fixedDifficulty);
    this.#enter(isFirst);
  }

  configure({ id, extensions }: ConfigureRequest): void {
    const taken = extensions.map((name): [string, JsonValue] => [name, name === EXTRANONCE_EXTENSION]);
    this.#parts.replies.answer(id, Object.fromEntries(taken));
    this.#showsModern();
    if (extensions.includes(EXTRANONCE_EXTENSION)) this.#takesExtranonce();
  }

  extranonceSubscribe(id: RequestId): void {
    this.#parts.replies.answer(id, true);
    this.#showsModern();
    this.#takesExtranonce();
  }

  /** @param difficulty expected hashes a share. */
  suggest(id: RequestId, difficulty: number): void {
    const { self, replies } = this.#parts;
    if (!this.#mayWish()) replies.refuse(id, false, ERROR_CODES.other, TOO_MANY_WISHES);
    else if (self.suggest(difficulty, this.#session.shownSpeed)) replies.answer(id, true);
    else replies.refuse(id, false, ERROR_CODES.other, DIFFICULTY_IS_SET);
  }

  response({ id, result }: Response): void {
    if (id !== VERSION_ID || typeof result !== 'string') return;
    this.#parts.self.agent = result;
    this.settleTarget();
  }

  /** Once it is known who the rig is, and again when that which its target follows from has changed. */
  settleTarget(): void {
    const { self, logins, resumption } = this.#parts;
    self.settleTarget(logins.all[0], this.#session.shownSpeed);
    const { orderedDifficulty } = resumption.shareTarget;
    if (orderedDifficulty === this.#heldAt) return;
    this.#heldAt = orderedDifficulty;
    const isHeld = orderedDifficulty !== undefined;
    this.#session.hint(
      `the operator ${isHeld ? `holds this rig at share difficulty ${orderedDifficulty}` : 'holds the share difficulty of this rig no more'}`,
    );
  }

  /** Before the answer, which may end the session: who is closed first would be counted for ever. */
  #add(text: string, { account, rig }: Credentials): void {
    const { rigBook, events } = this.#shared;
    const login = this.#parts.logins.add(text, { account, rig });
    if (login) rigBook.entered(login, this.#session, this.#session.addressKey);
    events.emit('sessionAuthorized', this.#session.info, account, rig, this.#parts.self.agent);
  }

  /** @param difficulty expected hashes a share; `undefined` where the login and the password say nothing of it. */
  #choose(difficulty: number | undefined): void {
    const { self } = this.#parts;
    if (difficulty === undefined || difficulty === self.chosen) return;
    if (this.#mayWish()) self.chosen = difficulty;
    else this.#session.hint(TOO_MANY_WISHES);
  }

  #mayWish(): boolean {
    const nowMs = this.#shared.clock.nowMs();
    if (this.#parts.feed.difficultyInForce === undefined) return true;
    if (nowMs - this.#wishedAtMs < WISH_EVERY_MS) return false;
    this.#wishedAtMs = nowMs;
    return true;
  }

  #takesExtranonce(): void {
    this.#parts.self.takesExtranonce = true;
    this.#enter(false);
  }

  /** @param isNew it has had no job here. */
  #enter(isNew: boolean): void {
    const lease = this.#comeBack();
    this.settleTarget();
    if (lease) this.#exchange(lease);
    if (lease || isNew) this.#session.offerNewest();
  }

  /** Once its login is known, a rig that came back has its late shares; and its former nonce1, where it takes another one. */
  #comeBack(): Lease | undefined {
    const { resumption, logins, self } = this.#parts;
    if (!this.#session.ready) return undefined;
    if (!self.takesExtranonce) resumption.follow(logins.all);
    else
      for (const login of logins.all) {
        const lease = resumption.takeBack(login);
        if (lease) return lease;
      }
    return undefined;
  }

  #exchange({ nonce1 }: Lease): void {
    const { self, replies, feed } = this.#parts;
    const nonce1Hex = nonce1ToHex(self.nonce1For(nonce1));
    replies.notice({ kind: 'setExtranonce', nonce1Hex, nonce2Bytes: NONCE2_BYTES });
    feed.announceAgain();
  }

  #showsModern(): void {
    const { self, replies } = this.#parts;
    if (!self.isModern && self.agent === '') replies.notice({ kind: 'getVersion', id: VERSION_ID });
    self.isModern = true;
  }
}
