/**
 * Lets only so many connections a second through, so that a storm of them (every rig comes back at once) takes no time
 * from the rigs that are there. The others wait unread, which costs next to nothing. Addresses have their turns one
 * after the other, so that no storm of one keeps another out.
 */
import type { Socket } from 'node:net';
import type { Address } from './address.js';
import { Throttle } from './budgets.js';
import type { StratumLimits } from './limits.js';

export type GateRules = Pick<StratumLimits, 'connectsPerSecond' | 'connectBurst' | 'connectsWaiting'>;

export interface Arrival {
  readonly socket: Socket;
  readonly address: Address;
  /** Called at once, or when it is its turn. It is not read before. */
  go(): void;
  /** Called when too many wait. */
  refuse(): void;
}

const LOOK_EVERY_MS = 10;

export class ConnectGate {
  readonly #rules: GateRules;
  readonly #nowMs: () => number;
  readonly #throttle: Throttle;
  readonly #line: FairLine<Arrival>;
  readonly #waiting = new Set<Socket>();
  #timer: NodeJS.Timeout | undefined;

  constructor(rules: GateRules, nowMs: () => number) {
    this.#rules = rules;
    this.#nowMs = nowMs;
    this.#throttle = new Throttle(rules.connectsPerSecond, rules.connectBurst, nowMs());
    this.#line = new FairLine(rules.connectsWaiting);
  }

  rulesChanged(): void {
    this.#throttle.change(this.#rules.connectsPerSecond, this.#rules.connectBurst);
    this.#line.max = this.#rules.connectsWaiting;
  }

  get waiting(): number {
    return this.#line.size;
  }

  isWaiting(socket: Socket): boolean {
    return this.#waiting.has(socket);
  }

  enter(arrival: Arrival): void {
    const nowMs = this.#nowMs();
    if (this.#line.size === 0 && arrival.address.mayConnect(nowMs) && this.#throttle.take(nowMs)) {
      arrival.address.connected(nowMs);
      arrival.go();
      return;
    }
    const dropped = this.#line.enter(arrival.address.key, arrival);
    if (dropped) this.#drop(dropped);
    if (dropped === arrival) return;
    const { socket } = arrival;
    socket.pause();
    this.#waiting.add(socket);
    socket.once('close', () => this.#left(arrival));
    this.#timer ??= setInterval(() => this.#letThrough(), LOOK_EVERY_MS);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#waiting.clear();
  }

  #drop(arrival: Arrival): void {
    this.#waiting.delete(arrival.socket);
    arrival.refuse();
  }

  #left(arrival: Arrival): void {
    this.#line.leave(arrival);
    this.#waiting.delete(arrival.socket);
  }

  #letThrough(): void {
    const nowMs = this.#nowMs();
    while (this.#line.size > 0 && this.#throttle.take(nowMs)) {
      const arrival = this.#next(nowMs);
      if (!arrival) {
        this.#throttle.giveBack(1);
        return;
      }
      this.#left(arrival);
      arrival.address.connected(nowMs);
      arrival.go();
      arrival.socket.resume();
    }
    if (this.#line.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** An address that may not connect now passes its turn on. */
  #next(nowMs: number): Arrival | undefined {
    for (let keys = this.#line.keys; keys > 0; keys--) {
      const arrival = this.#line.turn();
      if (arrival?.address.mayConnect(nowMs)) return arrival;
    }
    return undefined;
  }
}

/**
 * A waiting line that is fair by key: keys have their turns one after the other, whoever of a key came first. When the
 * line is full, the key that holds most of it loses its first one. Every step takes the same time, however many wait.
 */
export class FairLine<T> {
  /** Items that may wait; those that wait already stay when there may be fewer. */
  max: number;
  /** In the order of their turns. */
  readonly #lines = new Map<string, Set<T>>();
  /** Keys by the length of their lines. */
  readonly #byLength = new Map<number, Set<string>>();
  readonly #keyOf = new Map<T, string>();
  #longest = 0;

  constructor(max: number) {
    this.max = max;
  }

  get size(): number {
    return this.#keyOf.size;
  }

  /** Keys that wait. */
  get keys(): number {
    return this.#lines.size;
  }

  has(item: T): boolean {
    return this.#keyOf.has(item);
  }

  /** Returns whom there is no place for: the item itself, or one that was waiting; `undefined` when there is room. */
  enter(key: string, item: T): T | undefined {
    const line = this.#lines.get(key) ?? new Set();
    if (this.size >= this.max && line.size + 1 >= this.#longest) return item;
    const dropped = this.size >= this.max ? this.#firstOfLongest() : undefined;
    if (dropped !== undefined) this.leave(dropped);
    this.#lines.set(key, line.add(item));
    this.#keyOf.set(item, key);
    this.#moved(key, line.size - 1, line.size);
    return dropped;
  }

  leave(item: T): void {
    const key = this.#keyOf.get(item);
    const line = key === undefined ? undefined : this.#lines.get(key);
    if (key === undefined || !line) return;
    line.delete(item);
    this.#keyOf.delete(item);
    if (line.size === 0) this.#lines.delete(key);
    this.#moved(key, line.size + 1, line.size);
  }

  /** The first of the next key, which waits on until `leave`; the turn of that key has passed then. */
  turn(): T | undefined {
    const [first] = this.#lines;
    if (!first) return undefined;
    const [key, line] = first;
    this.#lines.delete(key);
    this.#lines.set(key, line);
    const [item] = line;
    return item;
  }

  #firstOfLongest(): T | undefined {
    const [key = ''] = this.#byLength.get(this.#longest) ?? [];
    const [item] = this.#lines.get(key) ?? [];
    return item;
  }

  #moved(key: string, from: number, to: number): void {
    const left = this.#byLength.get(from);
    left?.delete(key);
    if (left?.size === 0) this.#byLength.delete(from);
    if (to > 0) this.#byLength.set(to, (this.#byLength.get(to) ?? new Set()).add(key));
    if (to > this.#longest) this.#longest = to;
    else while (this.#longest > 0 && !this.#byLength.has(this.#longest)) this.#longest--;
  }
}
