/** What a front has to tell its hub once a second: what it counts by events, in sums, and how it stands. */
import type { BridgeEvents, EventSums, JobDelay, SubmitEvent, Transport } from '../../bridge/events.js';
import type { WatchNews } from '../../bridge/fleet/watch.js';
import type { Deed } from '../../bridge/orders/steering.js';
import type { Clock } from '../../bridge/ports.js';
import type { RigWatch } from '../../bridge/watch/rig-watch.js';

/** A front of 10,000 rigs has some thousands of each a second at the most. */
const MAX_TIMES = 20_000;
const MAX_DELAYS = 1_000;
const MAX_DEEDS = 1_000;

type Sums = {
  -readonly [K in 'hashes' | 'squares' | 'late']: EventSums[K];
} & {
  readonly opened: Record<Transport, number>;
  readonly outcomes: Partial<Record<SubmitEvent['outcome'], number>>;
  readonly spent: Map<number, number>;
  readonly tookMs: number[];
};

export class FrontNews {
  readonly #clock: Clock;
  /** That have authorized a name. */
  readonly #rigs = new Set<number>();
  #sums = noSums();
  #delays: JobDelay[] = [];
  #deeds: Deed[] = [];
  #leftOut = 0;

  /** @param clock the steady one of the machine. */
  constructor(events: BridgeEvents, clock: Clock) {
    this.#clock = clock;
    events.on('sessionOpened', ({ transport }) => this.#sums.opened[transport]++);
    events.on('sessionAuthorized', ({ id }) => this.#rigs.add(id));
    events.on('sessionClosed', ({ id }) => this.#rigs.delete(id));
    events.on('submit', (submit) => this.#count(submit));
    events.on('jobSent', ({ work, clean }, delayMs) => this.#late([work.chainId], clean, delayMs));
    events.on('chainsRetired', (chainIds, delayMs) => this.#late(chainIds, true, delayMs));
    events.on('steered', (deed) => this.#steered(deed));
  }

  /** All since the last time. */
  take(watch: Pick<RigWatch, 'counts' | 'drain'>): WatchNews {
    const { spent, tookMs, ...sums } = this.#sums;
    const news: WatchNews = {
      ...{ counts: watch.counts(), rigs: this.#rigs.size, drain: watch.drain() },
      sums: { ...sums, spent: [...spent], tookMs: Float32Array.from(tookMs) },
      ...{ delays: this.#delays, deeds: this.#deeds, leftOut: this.#leftOut },
    };
    this.#sums = noSums();
    this.#delays = [];
    this.#deeds = [];
    return news;
  }

  #count({ outcome, difficulty, spent, tookMs }: SubmitEvent): void {
    const sums = this.#sums;
    sums.outcomes[outcome] = (sums.outcomes[outcome] ?? 0) + 1;
    if (difficulty !== undefined) {
      const hashes = Number(difficulty);
      sums.hashes += hashes;
      sums.squares += hashes * hashes;
    }
    if (spent && outcome !== 'accepted') sums.late += Number(spent.difficulty);
    else if (spent)
      sums.spent.set(spent.chainId, (sums.spent.get(spent.chainId) ?? 0) + Number(spent.difficulty));
    if (tookMs === undefined) return;
    if (sums.tookMs.length < MAX_TIMES) sums.tookMs.push(tookMs);
    else this.#leftOut++;
  }

  #late(chainIds: readonly number[], clean: boolean, delayMs: number): void {
    const causedAtMs = this.#clock.nowMs() - delayMs;
    if (this.#delays.length < MAX_DELAYS) this.#delays.push({ chainIds, clean, delayMs, causedAtMs });
    else this.#leftOut++;
  }

  /** What is ordered of all fronts the hub tells, once. */
  #steered(deed: Deed): void {
    const isOfOne = deed.kind === 'close' || (deed.kind === 'message' && deed.audience.to === 'session');
    if (!isOfOne) return;
    if (this.#deeds.length < MAX_DEEDS) this.#deeds.push(deed);
    else this.#leftOut++;
  }
}

function noSums(): Sums {
  return {
    opened: { ws: 0, tcp: 0, cpu: 0 },
    ...{ outcomes: {}, hashes: 0, squares: 0, late: 0, spent: new Map(), tookMs: [] },
  };
}
