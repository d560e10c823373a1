/** What one address does here, all of its sessions together: what they cost, which of them are good, what went wrong. */
import { loginText } from '../../core/names.js';
import type { Login } from './accounts.js';
import { SlidingCount, SlidingPeak, Throttle } from './budgets.js';
import type { StratumLimits } from './limits.js';

/** What each session may send a second, in messages, however many there are and whatever the others send. */
const LEAST_PER_SESSION = 10;
/** From here on the address waits at the door, and who sends much and mines nothing is not paused first. */
const DEEP_DEBT_SECONDS = 5;
/** For so long it counts what a rig or an address did well. */
export const PAST_MS = 3_600_000;
/** A rig that waits for its first share, and one whose account has shown a password; one that has mined weighs GOOD. */
const WAITING = 1;
const PROVEN = 10;
const GOOD = 10;

/**
 * What takes our time without being a message, in messages that come alone: one takes some 20 µs of a processor, a
 * connection from its beginning to its end 90 to 200 µs, TLS 400 to 500 µs on top, and a WebSocket 150 µs. They are known
 * costs and no measured times, so that nobody pays for what else this machine does.
 */
export const COSTS = { connection: 8, tls: 25, webSocket: 8 } as const;

/** A session as its address weighs it. */
export interface Conducted {
  /** Whether its account has shown a password; `undefined` before it was let in. */
  readonly isProven: boolean | undefined;
  /** Those of the last while, by login. */
  readonly good: readonly { readonly login: Login; readonly shares: SlidingCount }[];
}

/** What a login did at an address. */
interface Past {
  readonly good: SlidingCount;
  readonly wrong: SlidingCount;
  /** Times that its sessions were closed for what they did, and it was not banned. */
  readonly closings: SlidingCount;
}

/** The addresses that are connected, and those that were: who comes back has the same budget and the same past. */
export class Addresses {
  readonly #limits: StratumLimits;
  readonly #present = new Map<string, Address>();
  /** Longest gone first; no more than `remembered`. */
  readonly #gone = new Map<string, Address>();
  readonly #pasts: Pasts;

  constructor(limits: StratumLimits) {
    this.#limits = limits;
    this.#pasts = new Pasts(limits);
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
    const address = new Address(key, this.#limits, nowMs, this.#pasts);
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

  #remember(address: Address): void {
    this.#gone.set(address.key, address);
    forgetOldest(this.#gone, this.#limits.remembered);
  }
}

export class Address {
  readonly key: string;
  readonly #limits: StratumLimits;
  readonly #pasts: Pasts;
  readonly #budget: Throttle;
  readonly #connects: Throttle;
  #connections = 0;
  /** Good sessions by login, those that have mined and not misbehaved. */
  readonly #good = new Map<string, number>();
  #goodSessions = 0;
  /** Sessions that were let in and have not misbehaved, as each weighs before its first share. */
  #standing = 0;
  /** Most addresses need none of these. */
  #goodAtOnce: SlidingPeak | undefined;
  #floods: SlidingCount | undefined;
  #guesses: SlidingCount | undefined;

  constructor(key: string, limits: StratumLimits, nowMs: number, pasts = new Pasts(limits)) {
    const perSecond = limits.messagesPerSecondPerAddress;
    this.key = key;
    this.#limits = limits;
    this.#pasts = pasts;
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
  ended({ isProven, good }: Conducted, inPeace: boolean, nowMs: number): void {
    if (inPeace) this.#seeGood(nowMs);
    else this.#goodAtOnce?.lower(Math.max(good.length, isProven ? 1 : 0));
    if (isProven !== undefined) this.#standing -= isProven ? PROVEN : WAITING;
    for (const { login, shares } of good) {
      this.#count(login, -1);
      this.#pasts.at(login, this.key).good.add(nowMs, shares.count(nowMs));
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

  /** It sent so many wrong submits, or as bad; true when it has had more good shares lately, at this address. */
  hasDoneMoreGoodThan(wrong: number, login: Login, nowMs: number): boolean {
    const past = this.#pasts.at(login, this.key);
    past.wrong.add(nowMs, wrong);
    return past.good.count(nowMs) > past.wrong.count(nowMs);
  }

  /** One of its sessions was closed, and it was not banned. */
  closed(login: Login, nowMs: number): void {
    this.#pasts.at(login, this.key).closings.add(nowMs);
  }

  closingsOf(login: Login, nowMs: number): number {
    return this.#pasts.find(login, this.key)?.closings.count(nowMs) ?? 0;
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

  get #goodNow(): number {
    return Math.max(this.#goodSessions, Math.floor(this.#standing / GOOD));
  }

  #seeGood(nowMs: number): void {
    if (this.#goodNow === 0) return;
    this.#goodAtOnce ??= new SlidingPeak(PAST_MS);
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

/** What logins did at their addresses; longest ago first, no more than `remembered`. */
class Pasts {
  readonly #limits: Pick<StratumLimits, 'banMs' | 'remembered'>;
  readonly #byPlace = new Map<string, Past>();

  constructor(limits: Pick<StratumLimits, 'banMs' | 'remembered'>) {
    this.#limits = limits;
  }

  find(login: Login, addressKey: string): Past | undefined {
    return this.#byPlace.get(placeOf(login, addressKey));
  }

  /** It is the last one to be forgotten now. */
  at(login: Login, addressKey: string): Past {
    const place = placeOf(login, addressKey);
    const past = this.#byPlace.get(place) ?? {
      good: new SlidingCount(Number.POSITIVE_INFINITY, PAST_MS),
      wrong: new SlidingCount(Number.POSITIVE_INFINITY, PAST_MS),
      closings: new SlidingCount(Number.POSITIVE_INFINITY, this.#limits.banMs),
    };
    this.#byPlace.delete(place);
    this.#byPlace.set(place, past);
    forgetOldest(this.#byPlace, this.#limits.remembered);
    return past;
  }
}

function placeOf(login: Login, addressKey: string): string {
  return `${loginText(login)} at ${addressKey}`;
}

function forgetOldest(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
}
