/** Many processes in the place of one: what a bridge's wiring takes instead of its own rigs' side. */
import { Crowds } from '../../bridge/crowds.js';
import { type BridgeEvents, createBridgeEvents } from '../../bridge/events.js';
import type { WorkSink } from '../../bridge/ports.js';
import type { SolutionSender } from '../../bridge/solution-sender.js';
import type { BridgeConfig } from '../../config/settings/settings.js';
import { CrowdSums } from '../../fleet/hub/crowd-sums.js';
import { FleetWorks } from '../../fleet/hub/fleet-works.js';
import { FrontPosts } from '../../fleet/hub/front-posts.js';
import { SolutionDesk } from '../../fleet/hub/solution-desk.js';
import type { HubState } from '../../fleet/state/state.js';
import { HubWatch } from '../../fleet/watch/hub-watch.js';
import type { Books } from '../books/books.js';
import { STEADY_CLOCK } from '../clocks.js';
import { doorOf, type Rigs } from '../rigs/rigs.js';
import type { Site } from '../site.js';
import { shipFormer, shipLeft } from './former-fronts.js';
import { Hub } from './hub.js';
import { processesOf } from './processes.js';
import { HUB } from './state.js';

/** What stands between the nodes' side and that of rigs, in however many processes; made before either. */
export interface Lines {
  /** Where works go. */
  readonly sink: WorkSink;
  /** Of all rigs. */
  readonly crowds: Pick<Crowds, 'on'>;
  /** Of those of this process. */
  readonly own: Crowds;
  /** Absent where one process does everything. */
  readonly fleet: FleetLines | undefined;
}

export interface FleetLines {
  readonly count: number;
  readonly works: FleetWorks;
  readonly crowds: CrowdSums;
  /** Of solutions. */
  readonly posts: FrontPosts;
}

export function makeLines(
  config: BridgeConfig,
  dispatcher: WorkSink,
  handsOut: (chainId: number) => boolean,
): Lines {
  const [count, own] = [processesOf(config), new Crowds()];
  if (count === 1) return { sink: dispatcher, crowds: own, own, fleet: undefined };
  const fleet = {
    count,
    works: new FleetWorks({ handsOut }),
    crowds: new CrowdSums(),
    posts: new FrontPosts(),
  };
  return { sink: toBoth(fleet.works, dispatcher), crowds: fleet.crowds, own, fleet };
}

/** Fronts first: rigs wait for it, and more of them than threads of the CPU. */
function toBoth(fronts: WorkSink, own: WorkSink): WorkSink {
  return {
    offerWork: (...work) => {
      fronts.offerWork(...work);
      own.offerWork(...work);
    },
    retireWork: (...work) => {
      fronts.retireWork(...work);
      own.retireWork(...work);
    },
    replaceWorks: (...works) => {
      fronts.replaceWorks(...works);
      own.replaceWorks(...works);
    },
  };
}

/**
 * Events of the own dispatcher, whose jobs are those of the fronts too. When a job has reached the last rig is told by fronts: here
 * are none.
 */
export function eventsOfJobs(config: BridgeConfig, events: BridgeEvents): BridgeEvents {
  if (processesOf(config) === 1) return events;
  const own = createBridgeEvents();
  own.on('job', (job) => void events.emit('job', job));
  return own;
}

export interface FleetParts {
  readonly lines: FleetLines;
  readonly books: Books;
  readonly sender: SolutionSender;
  /** Of the hub itself: those of the CPU, and what an operator has ordered. */
  readonly rigs: Rigs;
  readonly state: HubState;
}

/** The rigs' side of all processes as one. */
export async function fleetRigs(site: Site, parts: FleetParts): Promise<Rigs> {
  const { books, sender, rigs, state } = parts;
  if (rigs.server.front) await state.join(HUB, rigs.server.front);
  const { events, log } = site;
  const watch = new HubWatch({ own: rigs.server, events, clock: STEADY_CLOCK, log });
  const hub = hubOf(site, parts, watch);
  let areOpen = false;
  return {
    server: rigs.server,
    ...{ watch: watch.watch, steering: watch.steering },
    get ports() {
      return hub.ports;
    },
    fronts: () => hub.processes,
    doors: () => ({ areOpen, ports: hub.ports.map(doorOf) }),
    held: () => hub.held,
    listen: async () => {
      await rigs.listen();
      await hub.listen();
      await shipFormer(site, { books, sender }, (index) => hub.hasPlace(index));
      areOpen = true;
      site.open.add('doors', () => {
        areOpen = false;
      });
    },
    sockets: () => hub.sockets,
    letGo: () => hub.letGo(),
    applyLive: async (config) => {
      const [keys] = await Promise.all([hub.applyLive(config), rigs.applyLive(config)]);
      return keys;
    },
  };
}

function hubOf(site: Site, { lines, books, sender, state }: FleetParts, watch: HubWatch): Hub {
  const { events, open } = site;
  const { connection } = books;
  const send: SolutionSender['send'] = (...found) => sender.send(...found);
  const solutions = new SolutionDesk({ send, events, posts: lines.posts });
  open.add('solutions of fronts', () => solutions.close());
  const ship = (index: number): Promise<void> => shipLeft(site, { books, sender }, index);
  return new Hub(site, { ...lines, books, connection, solutions, state, watch, ship });
}
