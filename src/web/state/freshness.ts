/**
 * How fresh the work of rigs is: how long a job takes from what led to it being heard to the last session, and how many
 * hashes went into work that was known to be stale afterwards.
 */
import type { BridgeEvents } from '../../bridge/events.js';
import type { Clock } from '../../bridge/ports.js';

interface FreshnessReport {
  /** From New Cut heard (or a block seen) to the job written to the last session, over the last jobs. */
  readonly delayMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Jobs that the delays are taken from. */
  readonly jobs: number;
  /** Part of all hashes, 0 to 1: of submits that came too late, and of the time until the fresh job was written. */
  readonly staleHashes: number;
}

const REMEMBERED_DELAYS = 1_000;

/** What was hashed for a chain since its last clean job. */
interface ChainWork {
  hashes: number;
  readonly sinceMs: number;
}

export class Freshness {
  readonly #clock: Clock;
  readonly #delays: number[] = [];
  readonly #chains = new Map<number, ChainWork>();
  #accepted = 0;
  #late = 0;
  #waited = 0;
  #next = 0;

  constructor(events: BridgeEvents, clock: Clock) {
    this.#clock = clock;
    events.on('jobSent', ({ work, clean }, delayMs) => {
      this.#remember(delayMs);
      if (clean) this.#superseded(work.chainId, delayMs);
    });
    events.on('chainsRetired', (chainIds, delayMs) => {
      this.#remember(delayMs);
      for (const chainId of chainIds) this.#superseded(chainId, delayMs);
    });
    events.on('submit', ({ outcome, spent }) => {
      if (!spent) return;
      const hashes = Number(spent.difficulty);
      if (outcome !== 'accepted') {
        this.#late += hashes;
        return;
      }
      this.#accepted += hashes;
      const chain = this.#chains.get(spent.chainId);
      if (chain) chain.hashes += hashes;
    });
  }

  /** Expected hashes. */
  get staleHashes(): number {
    return this.#late + this.#waited;
  }

  report(): FreshnessReport {
    const sorted = this.#delays.toSorted((a, b) => a - b);
    const at = (part: number): number =>
      Math.round((sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0) * 10) / 10;
    const all = this.#accepted + this.#late;
    return {
      delayMs: { p50: at(0.5), p99: at(0.99), max: at(1) },
      jobs: sorted.length,
      staleHashes: all > 0 ? Math.min(1, this.staleHashes / all) : 0,
    };
  }

  #remember(delayMs: number): void {
    this.#delays[this.#next++ % REMEMBERED_DELAYS] = delayMs;
  }

  /** Rigs went on with the former job for the time of the delay, at the rate that they had on this chain. */
  #superseded(chainId: number, delayMs: number): void {
    const nowMs = this.#clock.nowMs();
    const chain = this.#chains.get(chainId);
    if (chain) {
      const lastedMs = Math.max(1, nowMs - chain.sinceMs);
      this.#waited += chain.hashes * Math.min(1, delayMs / lastedMs);
    }
    this.#chains.set(chainId, { hashes: 0, sinceMs: nowMs });
  }
}
