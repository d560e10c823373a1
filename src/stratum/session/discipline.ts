/** What a session does is weighed here, and what follows is carried out: it is not read for a while, closed, banned. */
import type { SessionInfo } from '../../bridge/events.js';
import type { Login } from '../door/accounts.js';
import { Conduct, type Order } from '../door/conduct.js';
import type { Connection } from '../door/connection.js';
import type { Misdeed, Offender } from '../door/offences.js';
import type { SessionParts } from './session-parts.js';

/** The session that is weighed. */
export interface Disciplined extends Offender {
  readonly info: SessionInfo;
  dismiss(why: string): void;
}

type Reader = Pick<Connection, 'pause' | 'resume' | 'wireBytes'>;
type Parts = Pick<SessionParts, 'clock' | 'offences' | 'rules'>;

export class Discipline {
  readonly conduct: Conduct;
  readonly #parts: Parts;
  readonly #connection: Reader;
  readonly #session: Disciplined;

  constructor(parts: Parts, connection: Reader, session: Disciplined) {
    this.conduct = new Conduct(session.address, parts.rules.limits, parts.clock.nowMs());
    this.#parts = parts;
    this.#connection = connection;
    this.#session = session;
  }

  /** As a transport tells it. */
  received(bytes: number, frames: number, open: number | undefined): void {
    this.#obey(this.conduct.received(bytes, frames, this.#parts.clock.nowMs(), open));
  }

  /** Called about once a second. */
  tick(nowMs: number): void {
    this.#obey(this.conduct.tick(nowMs, this.#connection.wireBytes?.()));
  }

  /** Too many wrong submits under one login. */
  misbehaved(login: Login, misdeed: Misdeed): void {
    const nowMs = this.#endsBadly();
    const isBanned = this.#parts.offences.misbehaved(this.#session, login, misdeed, nowMs);
    this.#session.dismiss(`${isBanned ? 'banned' : 'closed'}: ${misdeed.reason}`);
  }

  /** What it sends is no message, or breaks the rules of its transport. */
  garbled(why: string): void {
    this.#parts.offences.garbled(this.#session, why, this.#endsBadly());
    this.#session.dismiss(why);
  }

  #obey(order: Order): void {
    if (order === 'pause') this.#connection.pause();
    else if (order === 'resume') this.#connection.resume();
    else if (order === 'end') {
      const why = 'it went on to send more than its budget';
      this.#parts.offences.flooded(this.#session, why, this.#endsBadly());
      this.#session.dismiss(why);
    }
  }

  /** It counts as good no more, before it is weighed what others of its address do. */
  #endsBadly(): number {
    const nowMs = this.#parts.clock.nowMs();
    this.conduct.ended(false, nowMs);
    return nowMs;
  }
}
