/** What a session does is weighed here, and what follows is carried out: it is not read for a while, closed, banned. */
import type { SessionInfo } from '../../bridge/events.js';
import type { Login } from '../admission/accounts.js';
import type { Connection } from '../admission/connection.js';
import { type Order, Usage } from '../admission/usage.js';
import type { Violation, Violator } from '../admission/violations.js';
import type { SessionParts } from './session-parts.js';

/** The session that is weighed. */
export interface Enforced extends Violator {
  readonly info: SessionInfo;
  dismiss(why: string): void;
}

type Reader = Pick<Connection, 'pause' | 'resume' | 'wireBytes'>;
type Parts = Pick<SessionParts, 'clock' | 'violations' | 'rules'>;

export class Enforcement {
  readonly usage: Usage;
  readonly #parts: Parts;
  readonly #connection: Reader;
  readonly #session: Enforced;

  constructor(parts: Parts, connection: Reader, session: Enforced) {
    this.usage = new Usage(session.address, parts.rules.limits, parts.clock.nowMs());
    this.#parts = parts;
    this.#connection = connection;
    this.#session = session;
  }

  /** As a transport tells it. */
  received(bytes: number, frames: number, open: number | undefined): void {
    this.#obey(this.usage.received(bytes, frames, this.#parts.clock.nowMs(), open));
  }

  /** Called about once a second. */
  tick(nowMs: number): void {
    this.#obey(this.usage.tick(nowMs, this.#connection.wireBytes?.()));
  }

  /** Too many wrong submits under one login. */
  violated(login: Login, violation: Violation): void {
    const nowMs = this.#endsBadly();
    const isBanned = this.#parts.violations.violated(this.#session, login, violation, nowMs);
    this.#session.dismiss(`${isBanned ? 'banned' : 'closed'}: ${violation.reason}`);
  }

  /** What it sends is no message, or breaks the rules of its transport. */
  garbled(why: string): void {
    this.#parts.violations.garbled(this.#session, why, this.#endsBadly());
    this.#session.dismiss(why);
  }

  #obey(order: Order): void {
    if (order === 'pause') this.#connection.pause();
    else if (order === 'resume') this.#connection.resume();
    else if (order === 'end') {
      const why = 'it went on to send more than its budget';
      this.#parts.violations.flooded(this.#session, why, this.#endsBadly());
      this.#session.dismiss(why);
    }
  }

  /** It counts as good no more, before it is weighed what others of its address do. */
  #endsBadly(): number {
    const nowMs = this.#parts.clock.nowMs();
    this.usage.ended(false, nowMs);
    return nowMs;
  }
}
