/**
 * Lets only so many connections a second through, so that a storm of them (every rig comes back at once) takes no time
 * from the rigs that are there. The others wait in the order in which they came, unread, which costs next to nothing.
 */
import type { Socket } from 'node:net';
import { Throttle } from './throttle.js';

export interface GateRules {
  readonly perSecond: number;
  readonly burst: number;
  /** Connections that may wait. */
  readonly waiting: number;
}

const LOOK_EVERY_MS = 10;

export class ConnectGate {
  readonly #rules: GateRules;
  readonly #nowMs: () => number;
  readonly #throttle: Throttle;
  /** Oldest first. */
  readonly #waiting = new Map<Socket, () => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(rules: GateRules, nowMs: () => number) {
    this.#rules = rules;
    this.#nowMs = nowMs;
    this.#throttle = new Throttle(rules.perSecond, rules.burst, nowMs());
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  isWaiting(socket: Socket): boolean {
    return this.#waiting.has(socket);
  }

  /** Calls `go` at once, or when it is this connection's turn; false when too many wait. It is not read meanwhile. */
  enter(socket: Socket, go: () => void): boolean {
    if (this.#waiting.size === 0 && this.#throttle.take(this.#nowMs())) {
      go();
      return true;
    }
    if (this.#waiting.size >= this.#rules.waiting) return false;
    socket.pause();
    this.#waiting.set(socket, () => {
      go();
      socket.resume();
    });
    socket.once('close', () => this.#waiting.delete(socket));
    this.#timer ??= setInterval(() => this.#letThrough(), LOOK_EVERY_MS);
    return true;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#waiting.clear();
  }

  #letThrough(): void {
    const nowMs = this.#nowMs();
    for (const [socket, go] of this.#waiting) {
      if (!this.#throttle.take(nowMs)) return;
      this.#waiting.delete(socket);
      go();
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
