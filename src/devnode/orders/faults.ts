/**
 * Faults on demand, for tests of what talks to a node. All are off until asked for; each lasts until it is taken back.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { leavingSignal } from '../http/leaving.js';

const flag = z.boolean('must be true or false').exactOptional();
const NO_DELAY = 'must be a number of milliseconds from 0 on';

export const faultsModel = z.strictObject({
  /** Every answer waits this long. */
  delayMs: z.number(NO_DELAY).nonnegative(NO_DELAY).exactOptional(),
  /** Requests get no answer; they are dropped when this ends. */
  stall: flag,
  /** Connections are closed as soon as they are made. */
  refuse: flag,
  /** Mining endpoints answer as if mining were off. */
  miningEnabled: flag,
  /** Transactions that come are answered as if they were taken, and are gone. */
  dropTransactions: flag,
  /** Transactions that wait get into no block. */
  holdTransactions: flag,
  /** The first three apply only to requests whose path holds this text; empty: to all. */
  onlyPath: z.string('must be a text').exactOptional(),
});
type Changes = z.output<typeof faultsModel>;
type FaultState = Readonly<Required<Changes>>;

const HEALTHY: FaultState = {
  ...{ delayMs: 0, stall: false, refuse: false, onlyPath: '' },
  ...{ miningEnabled: true, dropTransactions: false, holdTransactions: false },
};

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

  set(changes: Changes): FaultState {
    this.#state = { ...this.#state, ...changes };
    if (!this.#state.stall) for (const reply of this.#stalled) reply.raw.destroy();
    return this.#state;
  }

  clear(): FaultState {
    return this.set(HEALTHY);
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
    if (delayMs === 0) return;
    // An abort only ends the wait: the client has left, or the node closes.
    const signal = leavingSignal(reply, this.#closing);
    await sleep(delayMs, undefined, { signal }).catch(() => undefined);
  }
}
