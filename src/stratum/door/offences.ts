/**
 * What follows when a session is ended for what it did. Bans meet who misbehaves: a login at its address, unless another
 * session there mines well under the same name; an address, when more of it misbehaves than mines.
 */
import type { SessionInfo } from '../../bridge/events.js';
import type { Log } from '../../core/log.js';
import { rigKey } from '../tenure/rig-book.js';
import type { Login } from './accounts.js';
import type { Address } from './address.js';
import type { Bans } from './bans.js';
import type { StratumLimits } from './limits.js';
import { SlidingCount } from './sliding-count.js';

export interface Offender {
  readonly info: SessionInfo;
  readonly address: Address;
  readonly logins: readonly Login[];
}

/** Sessions of an address that are closed for a flood until there are bans. */
const FLOODS = 2;
/** Rigs closed under a login, where others mine well as the same, until the login has to wait. */
const CLOSINGS = 2;

export class Offences {
  readonly #bans: Bans;
  readonly #limits: StratumLimits;
  readonly #log: Log;
  /** Login and address -> rigs that were closed and not banned; longest ago first, no more than `remembered`. */
  readonly #closings = new Map<string, SlidingCount>();

  constructor(bans: Bans, limits: StratumLimits, log: Log) {
    this.#bans = bans;
    this.#limits = limits;
    this.#log = log;
  }

  /** Too many wrong submits; true when that bans the login. The session itself counts as good no more. */
  misbehaved({ info, address }: Offender, login: Login, reason: string, nowMs: number): boolean {
    const { account, rig } = login;
    if (address.goodOf(login) > 0) {
      this.#closed(login, address, nowMs);
      this.#log.warn(
        { session: info, account, rig, reason },
        'a rig is closed; others mine well as the same',
      );
      return false;
    }
    this.#bans.banRig(account, rig, address.key, reason, nowMs, address.goodRigs(nowMs));
    this.#log.warn({ session: info, account, rig, reason }, 'a rig is banned');
    return true;
  }

  /**
   * How long an authorize waits for its answer. A rig that misbehaves under the name of good ones is not told apart from
   * them until it does; what slows it down each time it comes back is a short wait, once, for another.
   */
  delayMs(login: Login, address: Address, nowMs: number): number {
    const { refusalDelayMs, authorizeTimeoutMs } = this.#limits;
    const closings = this.#closings.get(placeOf(login, address))?.count(nowMs) ?? 0;
    if (closings < CLOSINGS) return 0;
    return Math.min(refusalDelayMs * 2 ** (closings - CLOSINGS), authorizeTimeoutMs / 2);
  }

  /** It sent more than its budget, and went on. */
  flooded(offender: Offender, reason: string, nowMs: number): void {
    const { info, address, logins } = offender;
    const floods = address.flooded(nowMs);
    this.#log.warn({ session: info, reason }, 'a session is closed');
    if (floods < FLOODS) return;
    for (const login of logins) this.misbehaved(offender, login, reason, nowMs);
    if (floods > address.goodRigs(nowMs)) this.#banAddress(address, reason, nowMs);
  }

  /** A wrong account or password; the reason of the ban when that is one too many. */
  guessed(address: Address, nowMs: number): string | undefined {
    const { wrongLogins } = this.#limits;
    const guesses = address.guessed(nowMs);
    if (guesses <= wrongLogins * Math.max(1, address.goodRigs(nowMs))) return undefined;
    const reason = `more than ${wrongLogins} wrong accounts or passwords`;
    this.#banAddress(address, reason, nowMs);
    return reason;
  }

  #closed(login: Login, address: Address, nowMs: number): void {
    const place = placeOf(login, address);
    const { banMs, remembered } = this.#limits;
    const count = this.#closings.get(place) ?? new SlidingCount(Number.POSITIVE_INFINITY, banMs);
    count.add(nowMs);
    this.#closings.delete(place);
    this.#closings.set(place, count);
    for (const longestAgo of this.#closings.keys()) {
      if (this.#closings.size <= remembered) return;
      this.#closings.delete(longestAgo);
    }
  }

  #banAddress({ key }: Address, reason: string, nowMs: number): void {
    this.#bans.banAddress(key, reason, nowMs);
    this.#log.warn({ address: key, reason }, 'an address is banned');
  }
}

function placeOf(login: Login, { key }: Address): string {
  return `${rigKey(login)} at ${key}`;
}
