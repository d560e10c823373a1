/**
 * Faults on demand, for tests of what talks to a node. All are off until asked for; each lasts until it is taken back.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { leavingSignal } from './http/leaving.js';

export interface FaultState {
  /** Every answer waits this long. */
  delayMs: number;
  /** Requests get no answer; they are dropped when this ends. */
  stall: boolean;
  /** Connections are closed as soon as they are made. */
  refuse: boolean;
  /** Mining endpoints answer as if mining were off. */
  miningEnabled: boolean;
  /** The three above apply only to requests whose path holds this text; empty: to all. */
  onlyPath: string;
}

const HEALTHY: FaultState = { delayMs: 0, stall: false, refuse: false, miningEnabled: true, onlyPath: '' };

export class Faults {
  readonly #closing: AbortSignal;
  readonly #stalled = new Set<FastifyReply>();
  #state: FaultState = HEALTHY;

  constructor(closing: AbortSignal) {
    this.#closing = closing;
  }

  get state(): FaultState {
    return this.#state;
  }

  get miningEnabled(): boolean {
    return this.#state.miningEnabled;
  }

  set(changes: Partial<FaultState>): void {
    this.#state = { ...this.#state, ...changes };
    if (!this.#state.stall) this.#dropStalled();
  }

  clear(): void {
    this.set(HEALTHY);
  }

  /** Lets a request suffer what is due; returns when it may be answered. */
  async suffer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { delayMs, stall, refuse, onlyPath } = this.#state;
    if (!request.url.includes(onlyPath)) return;
    if (refuse) {
      reply.hijack();
      request.raw.destroy();
      return;
    }
    if (stall) {
      reply.hijack();
      this.#stalled.add(reply);
      reply.raw.once('close', () => this.#stalled.delete(reply));
      return;
    }
    if (delayMs > 0) await this.#wait(delayMs, reply);
  }

  async #wait(delayMs: number, reply: FastifyReply): Promise<void> {
    const signal = leavingSignal(reply, this.#closing);
    // An abort only ends the wait: the client has left, or the node closes.
    await sleep(delayMs, undefined, { signal }).catch(() => undefined);
  }

  #dropStalled(): void {
    for (const reply of this.#stalled) reply.raw.destroy();
    this.#stalled.clear();
  }
}
