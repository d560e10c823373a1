/** What one address does here, all of its sessions together: what they send, which of them are good, what went wrong. */
import type { Login } from './accounts.js';
import type { StratumLimits } from './limits.js';
import { SlidingCount, SlidingPeak } from './sliding-count.js';
import { Throttle } from './throttle.js';

/** What each session may send a second, in messages, however many there are and whatever the others send. */
const LEAST_PER_SESSION = 10;
/** From here on the address waits at the door, and who sends much is not paused first. */
const DEEP_DEBT_SECONDS = 5;

export class Address {
  readonly key: string;
  readonly #limits: StratumLimits;
  readonly #budget: Throttle;
  readonly #connects: Throttle;
  #connections = 0;
  /** Good sessions by login, those that have mined and not misbehaved. */
  readonly #good = new Map<string, number>();
  #goodSessions = 0;
  /** Most addresses need none of these. */
  #goodAtOnce: SlidingPeak | undefined;
  #floods: SlidingCount | undefined;
  #guesses: SlidingCount | undefined;

  constructor(key: string, limits: StratumLimits, nowMs: number) {
    const perSecond = limits.messagesPerSecondPerAddress;
    this.key = key;
    this.#limits = limits;
    this.#budget = new Throttle(perSecond, perSecond, nowMs);
    this.#connects = new Throttle(limits.connectsPerSecondPerAddress, limits.connectBurst, nowMs);
  }

  /** The limits have changed. */
  limitsChanged(): void {
    const { messagesPerSecondPerAddress, connectsPerSecondPerAddress, connectBurst } = this.#limits;
    this.#budget.change(messagesPerSecondPerAddress, messagesPerSecondPerAddress);
    this.#connects.change(connectsPerSecondPerAddress, connectBurst);
  }

  get connections(): number {
    return this.#connections;
  }

  arrived(): void {
    this.#connections++;
  }

  left(): void {
    this.#connections--;
  }

  /** Not too many at once, and not while its sessions send far too much. */
  mayConnect(nowMs: number): boolean {
    return this.#connects.has(nowMs) && !this.isDeepInDebt(nowMs);
  }

  /** It was let in. */
  connected(nowMs: number): void {
    this.#connects.take(nowMs);
  }

  /** Takes what a session has sent, in messages, from the budget of all; returns the seconds that are owed. */
  charge(messages: number, nowMs: number): number {
    return this.#budget.charge(messages, nowMs);
  }

  /** What was sent was a good share: whoever mines may send as much as that takes. */
  giveBack(messages: number): void {
    this.#budget.giveBack(messages);
  }

  /** What a session may send a second while the budget of all is spent. */
  get fairShare(): number {
    return Math.max(LEAST_PER_SESSION, this.#budget.perSecond / Math.max(1, this.#connections));
  }

  isDeepInDebt(nowMs: number): boolean {
    return this.#budget.owedSeconds(nowMs) >= DEEP_DEBT_SECONDS;
  }

  /** A session has its first good share under this login. */
  hasGood(login: Login): void {
    this.#count(login, 1);
  }

  /** That session ends, in peace or not. */
  loseGood(login: Login, inPeace: boolean, nowMs: number): void {
    if (inPeace) {
      this.#goodAtOnce ??= new SlidingPeak(this.#limits.banMs);
      this.#goodAtOnce.see(this.#goodSessions, nowMs);
    } else this.#goodAtOnce?.lower();
    this.#count(login, -1);
  }

  goodOf(login: Login): number {
    return this.#good.get(nameOf(login)) ?? 0;
  }

  /**
   * Good rigs, those too that were here a while ago: a ban would meet them when they return. As many as were here at once:
   * one that comes and goes is one.
   */
  goodRigs(nowMs: number): number {
    return Math.max(this.#goodSessions, this.#goodAtOnce?.max(nowMs) ?? 0);
  }

  /** One more session was closed for a flood; how many were within the time of a ban. */
  flooded(nowMs: number): number {
    this.#floods ??= new SlidingCount(Number.POSITIVE_INFINITY, this.#limits.banMs);
    this.#floods.add(nowMs);
    return this.#floods.count(nowMs);
  }

  /** One more wrong account or password; how many there were in the window. */
  guessed(nowMs: number): number {
    this.#guesses ??= new SlidingCount(Number.POSITIVE_INFINITY, this.#limits.invalidWindowMs);
    this.#guesses.add(nowMs);
    return this.#guesses.count(nowMs);
  }

  #count(login: Login, change: 1 | -1): void {
    this.#goodSessions += change;
    const name = nameOf(login);
    const count = (this.#good.get(name) ?? 0) + change;
    if (count > 0) this.#good.set(name, count);
    else this.#good.delete(name);
  }
}

function nameOf({ account, rig }: Login): string {
  return rig === '' ? account : `${account}.${rig}`;
}
