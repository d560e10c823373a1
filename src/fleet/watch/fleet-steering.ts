/**
 * An operator's orders to all fronts. What outlives a restart is given to the hub alone, which checks it, keeps it and tells of it
 * once: it reaches the fronts by the fleet's state. What is about connections is given to the fronts that have them.
 */
import type { BridgeEvents } from '../../bridge/events.js';
import { processOfSession } from '../../bridge/fleet/watch.js';
import type {
  AddressListName,
  Audience,
  Ban,
  BanOrder,
  DrainReport,
  Kept,
  OrderedAddress,
  OrderedDifficulty,
  Refused,
  RigLabel,
  SessionRef,
  Steering,
} from '../../bridge/orders/steering.js';
import type { Name } from '../../core/names/names.js';
import type { Difficulty } from '../../core/work/target.js';
import type { FleetDrain } from './fleet-drain.js';
import type { WatchedFronts } from './fronts.js';

export interface FleetSteeringParts {
  readonly fronts: WatchedFronts;
  /** Of the hub, which has no sessions: it answers once all fronts have obeyed, with how many sessions that met. */
  readonly own: Steering;
  readonly drain: FleetDrain;
  readonly events: BridgeEvents;
}

type Told = { readonly told: number; readonly sessions: number };

export class FleetSteering implements Steering {
  readonly #parts: FleetSteeringParts;

  constructor(parts: FleetSteeringParts) {
    this.#parts = parts;
  }

  async close(
    session: SessionRef,
    reason: string,
    by: string,
  ): Promise<{ readonly closed: SessionRef } | Refused> {
    const done = await this.#parts.fronts.orderAt(processOfSession(session.id), (front) =>
      front.close(session, reason, by),
    );
    return done?.answer ?? { refused: 'unknown', why: `no session ${session.id} is open` };
  }

  ban(
    order: BanOrder,
    by: string,
  ): Promise<({ readonly ban: Ban; readonly closed: number } & Kept) | Refused> {
    return this.#parts.own.ban(order, by);
  }

  unban(id: string, by: string): Promise<({ readonly ban: Ban } & Kept) | Refused> {
    return this.#parts.own.unban(id, by);
  }

  setDifficulty(
    rig: Name,
    difficulty: Difficulty | undefined,
    by: string,
  ): Promise<({ readonly sessions: number } & Kept) | Refused> {
    return this.#parts.own.setDifficulty(rig, difficulty, by);
  }

  difficulties(): Promise<readonly OrderedDifficulty[]> {
    return this.#parts.own.difficulties();
  }

  setLabel(rig: Name, label: string | undefined, by: string): Promise<Kept | Refused> {
    return this.#parts.own.setLabel(rig, label, by);
  }

  labels(): Promise<readonly RigLabel[]> {
    return this.#parts.own.labels();
  }

  listAddresses(
    list: AddressListName,
    text: string,
    isOn: boolean,
    by: string,
  ): Promise<({ readonly addresses: string; readonly closed: number } & Kept) | Refused> {
    return this.#parts.own.listAddresses(list, text, isOn, by);
  }

  listedAddresses(): Promise<readonly OrderedAddress[]> {
    return this.#parts.own.listedAddresses();
  }

  drain(overMs: number, by: string, stops = false): Promise<DrainReport | Refused> {
    return this.#parts.drain.begin(overMs, by, stops);
  }

  cancelDrain(by: string): Promise<DrainReport | Refused> {
    return this.#parts.drain.cancel(by);
  }

  async tell(audience: Audience, text: string, by: string): Promise<Told | Refused> {
    const { fronts, events } = this.#parts;
    if (audience.to === 'session') {
      const done = await fronts.orderAt(processOfSession(audience.id), (front) =>
        front.tell(audience, text, by),
      );
      return done?.answer ?? { refused: 'unknown', why: `no session ${audience.id} is open` };
    }
    const answers = (await fronts.order((front) => front.tell(audience, text, by))).map(
      ({ answer }) => answer,
    );
    const refused = answers.find((answer) => 'refused' in answer);
    if (refused) return refused;
    const all = answers as readonly Told[];
    const [told, sessions] = [sumOf(all, 'told'), sumOf(all, 'sessions')];
    events.emit('steered', { kind: 'message', audience, text, told, by });
    return { told, sessions };
  }
}

function sumOf(all: readonly Told[], of: keyof Told): number {
  return all.reduce((sum, each) => sum + each[of], 0);
}
