/** What a mining thread holds towards the bridge: a session and a nonce1, and how far it has come with a header. */

import type { KernelName } from '../../workers/kernel.js';
import { nonce2Count } from '../../workers/search.js';
import type { BridgeEvents, SessionInfo } from '../bridge/events.js';
import type { Clock } from '../bridge/ports.js';
import { bytesEqual } from '../core/bytes/bytes.js';
import { NONCE1_BYTES, type Nonce1, type NonceSpace } from '../core/jobs/nonce.js';
import type { Log } from '../core/names/log.js';

/** The name under which the CPU is paid and listed. */
export const CPU_RIG = 'cpu';

export interface SeatParts {
  readonly account: string;
  readonly kernel: KernelName;
  readonly nonces: NonceSpace;
  readonly events: BridgeEvents;
  readonly clock: Clock;
  readonly log: Log;
  nextSessionId(): number;
}

/** Nonces that nobody else was given and this seat will not be given again. */
export interface Part {
  readonly nonce1: Nonce1;
  /** First nonce2. */
  readonly first: number;
  readonly length: number;
}

const NONCE2_COUNT = nonce2Count(NONCE1_BYTES);

export class Seat {
  readonly #thread: number;
  readonly #parts: SeatParts;
  #session: SessionInfo;
  #nonce1: Nonce1 | undefined;
  #header: Uint8Array = new Uint8Array();
  #next = 0;

  constructor(thread: number, parts: SeatParts) {
    this.#thread = thread;
    this.#parts = parts;
    this.#session = this.#open();
  }

  get session(): SessionInfo {
    return this.#session;
  }

  /** The next nonces of this header, at most `count`; `undefined` when none are left or no nonce1 is to be had. */
  take(header: Uint8Array, count: number): Part | undefined {
    if (!bytesEqual(header, this.#header)) {
      this.#header = header;
      this.#next = 0;
    }
    this.#nonce1 ??= this.#lease();
    const first = this.#next;
    const length = Math.min(count, NONCE2_COUNT - first);
    if (this.#nonce1 === undefined || length <= 0) return undefined;
    this.#next += length;
    return { nonce1: this.#nonce1, first, length };
  }

  /** Gives everything up and starts anew: nothing of the range may be searched by another. */
  change(reason: string): void {
    this.leave(reason);
    this.#session = this.#open();
    this.#header = new Uint8Array();
  }

  leave(reason: string): void {
    const { nonces, clock, events } = this.#parts;
    if (this.#nonce1 !== undefined) nonces.release(this.#nonce1, clock.nowMs());
    this.#nonce1 = undefined;
    events.emit('sessionClosed', this.#session, reason);
  }

  #open(): SessionInfo {
    const { events, account, kernel, nextSessionId } = this.#parts;
    const session: SessionInfo = {
      id: nextSessionId(),
      transport: 'cpu',
      peer: `thread ${this.#thread + 1}`,
    };
    events.emit('sessionOpened', session);
    events.emit('sessionAuthorized', session, account, CPU_RIG, `${kernel} kernel`);
    return session;
  }

  #lease(): Nonce1 | undefined {
    const nonce1 = this.#parts.nonces.lease(this.#parts.clock.nowMs());
    if (nonce1 === undefined) {
      this.#parts.log.warn({ thread: this.#thread }, 'no nonce1 is free: the thread waits for the next job');
    }
    return nonce1;
  }
}
