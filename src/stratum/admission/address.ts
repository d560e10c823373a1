/** What one address does here, all of its sessions together: what they cost, which of them are good, what went wrong. */
import { loginText } from '../../core/names/names.js';
import { forgetOldest } from '../bounded.js';
import type { Login } from './accounts.js';
import { type Halves, SlidingCount, SlidingPeak, Throttle } from './budgets.js';
import type { StratumLimits } from './limits.js';
import { HISTORY_MS, type KeptHistory, LoginHistories } from './login-histories.js';

/** What each session may send a second, in messages, however many there are and whatever the others send. */
const LEAST_PER_SESSION = 10;
/** From here on the address waits before it is let in, and who sends much and mines nothing is not paused first. */
const DEEP_DEBT_SECONDS = 5;
/** A rig that waits for its first share, and one whose account has shown a password; one that has mined weighs GOOD. */
const WAITING = 1;
const PROVEN = 10;
const GOOD = 10;

/**
 * What takes our time without being a message, in messages that come alone: one takes some 20 µs of a processor, a
 * connection from its beginning to its end 90 to 200 µs, TLS 400 to 500 µs on top, a WebSocket 150 µs, and a key that
 * is seen for the first time 200 µs. They are known costs and no measured times, so that nobody pays for what else this machine does.
 */
export const COSTS = { connection: 8, tls: 25, webSocket: 8, account: 10 } as const;

/** How often a banned address hears why. */
const BAN_TOLD_EVERY_MS = 60_000;

/** A session as its address weighs it. */
export interface UsageShown {
  /** Whether its account has shown a password; `undefined` before it was let in. */
  readonly isProven: boolean | undefined;
  /** Those of the last while, by login. */
  readonly good: readonly { readonly login: Login; readonly shares: SlidingCount }[];
}

/** As plain data, for the next start. */
export interface KeptAddresses {
  /** Address -> the most good rigs that were there at once. */
  readonly goodRigs: readonly (readonly [key: string, goodRigs: Halves])[];
  readonly histories: readonly KeptHistory[];
}

/** The addresses that are connected, and those that were: who comes back has the same budget and the same past. */
export class Addresses {
  readonly #limits: StratumLimits;
  readonly #present = new Map<string, Address>();
  /** Longest gone first; no more than `remembered`. */
  readonly #gone = new Map<string, Address>();
  readonly #histories: LoginHistories;

  constructor(limits: StratumLimits) {
    this.#limits = limits;
    this.#histories = new LoginHistories(limits);
  }

  get size(): number {
    return this.#present.size + this.#gone.size;
  }

  limitsChanged(): void {
    for (const addresses of [this.#present, this.#gone])
      for (const address of addresses.values()) address.limitsChanged();
  }

  at(key: string, nowMs: number): Address {
    const known = this.#present.get(key) ?? this.#gone.get(key);
    if (known) return known;
    const address = new Address(key, this.#limits, nowMs, this.#histories);
    this.#remember(address);
    return address;
  }

  /** A connection of this address counts from now on, until `left`. */
  arrived(address: Address): void {
    address.arrived();
    this.#gone.delete(address.key);
    this.#present.set(address.key, address);
  }

  left(address: Address): void {
    address.left();
    if (address.connections > 0) return;
    this.#present.delete(address.key);
    this.#remember(address);
  }

  /** What they did well, and what their logins did; longest ago first, no more than `remembered` of each. */
  kept(nowMs: number): KeptAddresses {
    const all = [...this.#gone.values(), ...this.#present.values()];
    const goodRigs = all.flatMap((address) => {
      const halves = address.keptGood(nowMs);
      return halves.some((count) => count > 0) ? [[address.key, halves] as const] : [];
    });
    return { goodRigs: goodRigs.slice(-this.#limits.remembered), histories: this.#histories.kept(nowMs) };
  }

  /** Before the first connection: with what an earlier start has kept at that time. */
  goOn({ goodRigs, histories }: KeptAddresses, atMs: number): void {
    for (const [key, halves] of goodRigs) this.at(key, atMs).goOn(halves, atMs);
    this.#histories.goOn(histories, atMs);
  }

  #remember(address: Address): void {
    this.#gone.set(address.key, address);
    forgetOldest(this.#gone, this.#limits.remembered);
  }
}

export class Address {
  readonly key: string;
  readonly #limits: StratumLimits;
  readonly #histories: LoginHistories;
  readonly #budget: Throttle;
  readonly #connects: Throttle;
  #connections = 0;
  /** Good sessions by login, those that have mined and not misbehaved. */
  readonly #good = new Map<string, number>();
  #goodSessions = 0;
  /** Sessions that were let in and have not misbehaved, as each weighs before its first share. */
  #standing = 0;
  #toldOfBanAtMs = Number.NEGATIVE_INFINITY;
  /** Most addresses need none of these. */
  #goodAtOnce: SlidingPeak | undefined;
  #floods: SlidingCount | undefined;
  #garbled: SlidingCount | undefined;
  #guesses: SlidingCount | undefined;

  constructor(key: string, limits: StratumLimits, nowMs: number, histories = new LoginHistories(limits)) {
    const perSecond = limits.messagesPerSecondPerAddress;
    this.key = key;
    this.#limits = limits;
    this.#histories = histories;
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

  /** It is banned, and has a connection now to hear why; false where it had one lately. */
  hearsOfBan(nowMs: number): boolean {
    if (nowMs - this.#toldOfBanAtMs < BAN_TOLD_EVERY_MS) return false;
    this.#toldOfBanAtMs = nowMs;
    return true;
  }

  /** Not too many at once, and not while it costs far too much. */
  mayConnect(nowMs: number): boolean {
    return this.#connects.has(nowMs) && !this.isDeepInDebt(nowMs);
  }

  /** It was let in. */
  connected(nowMs: number): void {
    this.#connects.take(nowMs);
    this.charge(COSTS.connection, nowMs);
  }

  /** Takes what it cost, in messages, from the budget of all; returns the seconds that are owed. */
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

  /** A session was let in. @param isProven its account has shown a password. */
  letIn(isProven: boolean): void {
    this.#standing += isProven ? PROVEN : WAITING;
  }

  /** A session has its first good share under this login. */
  hasGood(login: Login): void {
    this.#count(login, 1);
  }

  /** A session ends, in peace or because of what it did. */
  ended({ isProven, good }: UsageShown, inPeace: boolean, nowMs: number): void {
    if (inPeace) this.#seeGood(nowMs);
    else this.#goodAtOnce?.lower(Math.max(good.length, isProven ? 1 : 0));
    if (isProven !== undefined) this.#standing -= isProven ? PROVEN : WAITING;
    for (const { login, shares } of good) {
      this.#count(login, -1);
      this.#histories.at(login, this.key).good.add(nowMs, shares.count(nowMs));
    }
  }

  goodOf(login: Login): number {
    return this.#good.get(loginText(login)) ?? 0;
  }

  /**
   * Good rigs, those too that were here a while ago: a ban would meet them when they return. As many as were here at once:
   * one that comes and goes is one.
   */
  goodRigs(nowMs: number): number {
    return Math.max(this.#goodNow, this.#goodAtOnce?.max(nowMs) ?? 0);
  }

  /** Of {@link goodRigs}, those here now among them. */
  keptGood(nowMs: number): Halves {
    this.#seeGood(nowMs);
    return this.#goodAtOnce?.kept(nowMs) ?? [0, 0];
  }

  /** Its good rigs of an earlier start, as they were kept at that time. */
  goOn(goodRigs: Halves, atMs: number): void {
    this.#goodAtOnce = new SlidingPeak(HISTORY_MS);
    this.#goodAtOnce.goOn(goodRigs, atMs);
  }

  /** It sent so many wrong submits, or as bad; true when it has had more good shares lately, at this address. */
  hasDoneMoreGoodThan(wrong: number, login: Login, nowMs: number): boolean {
    const past = this.#histories.at(login, this.key);
    past.wrong.add(nowMs, wrong);
    return past.good.count(nowMs) > past.wrong.count(nowMs);
  }

  /** One of its sessions was closed, and it was not banned. */
  closed(login: Login, nowMs: number): void {
    this.#histories.at(login, this.key).closings.add(nowMs);
  }

  closingsOf(login: Login, nowMs: number): number {
    return this.#histories.find(login, this.key)?.closings.count(nowMs) ?? 0;
  }

  /** One more session was closed for a flood; how many were within the time of a ban. */
  flooded(nowMs: number): number {
    this.#floods ??= new SlidingCount(Number.POSITIVE_INFINITY, this.#limits.banMs);
    this.#floods.add(nowMs);
    return this.#floods.count(nowMs);
  }

  /** One more session was closed for what is no message; how many were within the time of a ban. */
  garbled(nowMs: number): number {
    this.#garbled ??= new SlidingCount(Number.POSITIVE_INFINITY, this.#limits.banMs);
    this.#garbled.add(nowMs);
    return this.#garbled.count(nowMs);
  }

  /** One more wrong account or password; how many there were in the window. */
  guessed(nowMs: number): number {
    this.#guesses ??= new SlidingCount(Number.POSITIVE_INFINITY, this.#limits.invalidWindowMs);
    this.#guesses.add(nowMs);
    return this.#guesses.count(nowMs);
  }

  get #goodNow(): number {
    return Math.max(this.#goodSessions, Math.floor(this.#standing / GOOD));
  }

  #seeGood(nowMs: number): void {
    if (this.#goodNow === 0) return;
    this.#goodAtOnce ??= new SlidingPeak(HISTORY_MS);
    this.#goodAtOnce.see(this.#goodNow, nowMs);
  }

  #count(login: Login, change: 1 | -1): void {
    this.#goodSessions += change;
    const name = loginText(login);
    const count = (this.#good.get(name) ?? 0) + change;
    if (count > 0) this.#good.set(name, count);
    else this.#good.delete(name);
  }
}
