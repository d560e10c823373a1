/** All that the hub shows and orders of its fronts, as the rigs' side of one bridge. */
import type { BridgeEvents } from '../../bridge/events.js';
import type { FrontWatch, WatchDesk, WatchNews } from '../../bridge/fleet/watch.js';
import type { Steering } from '../../bridge/orders/steering.js';
import type { Clock } from '../../bridge/ports.js';
import type { RigWatch } from '../../bridge/watch/rig-watch.js';
import type { Log } from '../../core/names/log.js';
import { FleetDrain } from './fleet-drain.js';
import { FleetSteering } from './fleet-steering.js';
import { FleetWatch } from './fleet-watch.js';
import { WatchedFronts } from './fronts.js';
import { JobDelays } from './job-delays.js';

/** The hub's own rigs' side: the threads of its CPU, no sessions, and all that is ordered. */
export interface OwnSide {
  readonly watch: RigWatch;
  readonly frontWatch: FrontWatch;
  readonly steering: Steering;
}

export interface HubWatchParts {
  readonly own: OwnSide;
  readonly events: BridgeEvents;
  /** Steady time. */
  readonly clock: Clock;
  readonly log: Log;
}

/** Of the hub itself. */
const OWN = 0;

export class HubWatch {
  readonly watch: RigWatch;
  readonly steering: Steering;
  readonly #parts: HubWatchParts;
  readonly #fronts: WatchedFronts;
  readonly #drain: FleetDrain;
  readonly #delays = new JobDelays();
  readonly #desks = new Map<number, WatchDesk>();

  constructor(parts: HubWatchParts) {
    const { own, events, log, clock } = parts;
    const nowMs = (): number => clock.nowMs();
    this.#parts = parts;
    this.#fronts = new WatchedFronts(nowMs, log);
    this.#drain = new FleetDrain({ fronts: this.#fronts, events, nowMs });
    this.#fronts.join(OWN, { watch: own.frontWatch });
    this.watch = new FleetWatch({
      ...{ fronts: this.#fronts, nowMs },
      drain: () => this.#drain.report,
      own: () => own.watch.counts(),
      bans: (slice) => own.watch.bans(slice),
    });
    this.steering = new FleetSteering({
      ...{ fronts: this.#fronts, drain: this.#drain, own: own.steering, events },
    });
  }

  /** Numbers of fronts that did not answer when they were asked last. */
  get silent(): readonly number[] {
    return this.#fronts.silent;
  }

  /** For a front that begins; what it has counted is counted here from its first word on. @param number from 1 on. */
  deskOf(number: number): WatchDesk {
    const desk: WatchDesk = { take: (news) => this.#take(number, desk, news) };
    this.#desks.set(number, desk);
    return desk;
  }

  /** From now on it is listed. Resolves once it has heard of a drain that is on. */
  async join(number: number, front: Pick<OwnSide, 'frontWatch' | 'steering'>): Promise<void> {
    this.#fronts.join(number, { watch: front.frontWatch, steering: front.steering });
    await this.#drain.joined(number);
  }

  /** Others take its place. */
  leaving(number: number): void {
    this.#fronts.leaving(number);
  }

  leave(number: number): void {
    this.#desks.delete(number);
    this.#fronts.leave(number);
    this.#drain.left(number);
    this.#tellRigs();
  }

  /** Called about once a second. */
  tick(): void {
    for (const delay of this.#delays.take(this.#parts.clock.nowMs()))
      this.#parts.events.emit('jobReached', delay);
  }

  #take(number: number, desk: WatchDesk, news: WatchNews): void {
    const { events, clock } = this.#parts;
    events.emit('summed', news.sums);
    for (const delay of news.delays) this.#delays.add(delay, clock.nowMs());
    for (const deed of news.deeds) events.emit('steered', deed);
    // The last word of one that is dead may come late: what it counted counts, how it stands does not.
    if (this.#desks.get(number) !== desk || !this.#fronts.told(number, news)) return;
    this.#drain.told(number, news.drain);
    this.#tellRigs();
  }

  #tellRigs(): void {
    const told = this.#fronts.news;
    const sessions = told.reduce((sum, { counts }) => sum + counts.sessions, 0);
    const rigs = told.reduce((sum, news) => sum + news.rigs, 0);
    this.#parts.events.emit('rigsElsewhere', { sessions, rigs });
  }
}
