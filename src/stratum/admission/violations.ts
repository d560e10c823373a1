/**
 * What follows when a session is ended for what it did. Bans meet who misbehaves: a login at its address, unless another
 * session there mines well under the same name, or it has done more good than bad there lately; an address, when more of it
 * misbehaves than mines.
 */
import type { SessionInfo } from '../../bridge/events.js';
import type { Log } from '../../core/names/log.js';
import type { Login } from './accounts.js';
import type { Address } from './address.js';
import type { Bans } from './bans.js';
import type { StratumLimits } from './limits.js';

export interface Violator {
  readonly info: SessionInfo;
  readonly address: Address;
  readonly logins: readonly Login[];
}

/** Why a rig is not to be let in again. */
export interface Violation {
  readonly reason: string;
  /** Submits of the last while, or what is as bad. */
  readonly wrong: number;
}

/** Sessions of an address that are closed for a flood until there are bans. */
const FLOODS = 2;
/** Sessions of an address that are closed for what is no message of a rig until there are bans. */
const GARBLED = 5;
/** Rigs closed under a login, where others mine well as the same, until the login has to wait. */
const CLOSINGS = 2;

export class Violations {
  readonly #bans: Bans;
  readonly #limits: StratumLimits;
  readonly #log: Log;

  constructor(bans: Bans, limits: StratumLimits, log: Log) {
    this.#bans = bans;
    this.#limits = limits;
    this.#log = log;
  }

  /** Too many wrong submits; true when that bans the login. The session itself counts as good no more. */
  violated({ info, address }: Violator, login: Login, { reason, wrong }: Violation, nowMs: number): boolean {
    const { account, rig } = login;
    const hasDoneWell = address.hasDoneMoreGoodThan(wrong, login, nowMs);
    const areOthersGood = address.goodOf(login) > 0;
    if (areOthersGood || hasDoneWell) {
      address.closed(login, nowMs);
      const why = areOthersGood ? 'others mine well as the same' : 'it has mined well before';
      this.#log.warn({ session: info, account, rig, reason }, `a rig is closed; ${why}`);
      return false;
    }
    // An address that is banned is one line, not one for each of its sessions that are still open.
    if (this.#bans.ofAddress(address.key, nowMs)) return true;
    const isNew = this.#bans.banRig(account, rig, address.key, reason, nowMs, address.goodRigs(nowMs));
    if (isNew) this.#log.warn({ session: info, account, rig, reason }, 'a rig is banned');
    const ban = this.#bans.ofAddress(address.key, nowMs);
    if (ban) this.#log.warn({ address: address.key, reason: ban.reason }, 'an address is banned');
    return true;
  }

  /**
   * How long an authorize waits for its answer. A rig that misbehaves under the name of good ones is not told apart from
   * them until it does; what slows it down each time it comes back is a short wait, once, for another.
   */
  delayMs(login: Login, address: Address, nowMs: number): number {
    const { refusalDelayMs, authorizeTimeoutMs } = this.#limits;
    const closings = address.closingsOf(login, nowMs);
    if (closings < CLOSINGS) return 0;
    return Math.min(refusalDelayMs * 2 ** (closings - CLOSINGS), authorizeTimeoutMs / 2);
  }

  /** It sent more than its budget, and went on. */
  flooded(violator: Violator, reason: string, nowMs: number): void {
    const say = this.#bans.ofAddress(violator.address.key, nowMs) ? 'debug' : 'warn';
    this.#log[say]({ session: violator.info, reason }, 'a session is closed');
    this.#again(violator, reason, violator.address.flooded(nowMs), FLOODS, nowMs);
  }

  /**
   * What it sent is no message, or broke the rules of its transport. From who has no name it does not count where rigs mine: any
   * web page can have the browser of a miner send it.
   */
  garbled(violator: Violator, reason: string, nowMs: number): void {
    const { address, logins } = violator;
    if (logins.length === 0 && address.goodRigs(nowMs) > 0) return;
    this.#again(violator, reason, address.garbled(nowMs), GARBLED, nowMs);
  }

  /** @param times so many sessions of the address were closed for the same lately; it is borne less than `most` times. */
  #again(violator: Violator, reason: string, times: number, most: number, nowMs: number): void {
    const { address, logins } = violator;
    if (times < most) return;
    // As bad as the wrong submits that end a session.
    const violation = { reason, wrong: this.#limits.invalidSubmits };
    for (const login of logins) this.violated(violator, login, violation, nowMs);
    if (times > address.goodRigs(nowMs)) this.#banAddress(address, reason, nowMs);
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

  #banAddress({ key }: Address, reason: string, nowMs: number): void {
    if (this.#bans.banAddress(key, reason, nowMs))
      this.#log.warn({ address: key, reason }, 'an address is banned');
  }
}
