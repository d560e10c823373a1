/**
 * Lets only so many connections a second through, so that a storm of them (every rig comes back at once) takes no time
 * from the rigs that are there. The others wait unread, which costs next to nothing. Addresses have their turns one
 * after the other, so that no storm of one keeps another out.
 */
import type { Socket } from 'node:net';
import type { Address } from './address.js';
import { Throttle } from './budgets.js';
import { FairLine } from './fair-line.js';
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
