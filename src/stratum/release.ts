/**
 * Lets rigs go while the work is dead, so that they mine at their second pool, and in again once it lives. Ports are closed
 * meanwhile, so that balancers see it too.
 */
import type { Log } from '../core/names/log.js';
import type { Arrivals } from './admission/arrivals.js';
import type { Ports } from './admission/ports.js';
import type { Session } from './session/session.js';

interface ReleaseParts {
  /** Why the work is dead, as a sentence without its full stop; `undefined` while it lives. */
  readonly whyReleased: () => string | undefined;
  /** Open ones; the same set while nobody comes or goes. */
  sessions(): ReadonlySet<Pick<Session, 'dismiss'>>;
  readonly ports: Pick<Ports, 'rest' | 'resume'>;
  readonly arrivals: Pick<Arrivals, 'turnAway'>;
  readonly log: Log;
}

/** Not all at once: their second pool has others to serve. */
const SPREAD_MS = 10_000;

export class Release {
  readonly #parts: ReleaseParts;
  /** When the last one is to have gone; absent while rigs are let in. */
  #goneAtMs: number | undefined;
  #resuming = false;
  /** They were let in once. */
  #wereIn = false;
  /** Why a port cannot be opened, as it was said. */
  #fault = '';

  constructor(parts: ReleaseParts) {
    this.#parts = parts;
  }

  /** Why nobody is let in, while that is so. */
  get whyShut(): string | undefined {
    return this.#parts.whyReleased();
  }

  /** Called about once a second. */
  tick(nowMs: number): void {
    const dead = this.#parts.whyReleased();
    this.#wereIn ||= dead === undefined;
    if (dead !== undefined) this.#letGo(dead, nowMs);
    else if (this.#goneAtMs !== undefined && !this.#resuming) void this.#letIn();
  }

  /** The same part of them each second. */
  #letGo(why: string, nowMs: number): void {
    const { sessions, log } = this.#parts;
    const open = sessions();
    // Ports that are about to open are closed once they are.
    if (this.#resuming) return;
    if (this.#goneAtMs === undefined) {
      const words = this.#wereIn ? 'rigs are let go, the work is dead' : 'rigs are let in once there is work';
      log.warn({ event: 'released', sessions: open.size }, `${words}: ${why}`);
    }
    this.#goneAtMs ??= nowMs + SPREAD_MS;
    this.#parts.ports.rest();
    this.#parts.arrivals.turnAway();
    const turns = Math.max(1, Math.ceil((this.#goneAtMs - nowMs) / 1000));
    for (const session of [...open].slice(0, Math.ceil(open.size / turns)))
      session.dismiss(`the work here is dead: ${why}`);
  }

  async #letIn(): Promise<void> {
    const { ports, log } = this.#parts;
    this.#resuming = true;
    try {
      await ports.resume();
      this.#goneAtMs = undefined;
      this.#fault = '';
      log.info({ event: 'admitted' }, 'there is live work: rigs are let in');
    } catch (error) {
      const { message } = error as Error;
      const words = 'there is live work, and rigs cannot be let in at a port; it is tried each second';
      if (message !== this.#fault) log.error({ event: 'admitted', error: message }, words);
      this.#fault = message;
    } finally {
      this.#resuming = false;
    }
  }
}
