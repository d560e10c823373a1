/** The hub of a bridge of many processes: its fronts, with all that they are told and asked. */
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { HubDesk } from '../../bridge/fleet/ports.js';
import type { OwnSocket } from '../../cli/service/succession.js';
import { changedSettings } from '../../config/layers/changed.js';
import { portsOf } from '../../config/ports.js';
import type { BridgeConfig } from '../../config/settings/settings.js';
import type { Hello } from '../../fleet/channel/attach.js';
import {
  BALANCE,
  DESK,
  FRONT_STATE,
  FRONT_WATCH,
  STATE,
  STEERING,
  WATCH_DESK,
  WORKS,
} from '../../fleet/channel/contracts.js';
import type { StreamWire } from '../../fleet/channel/stream-wire.js';
import { Balance } from '../../fleet/hub/balance.js';
import type { CrowdSums } from '../../fleet/hub/crowd-sums.js';
import type { FleetWorks } from '../../fleet/hub/fleet-works.js';
import { AdoptedFront, FIRST_SOCKET, type FrontProcess } from '../../fleet/hub/front-process.js';
import { Fronts } from '../../fleet/hub/fronts.js';
import { BindError, type BoundSocket, BoundSockets, type NextSockets } from '../../fleet/hub/sockets.js';
import type { SolutionDesk } from '../../fleet/hub/solution-desk.js';
import type { HubState } from '../../fleet/state/state.js';
import type { HubWatch } from '../../fleet/watch/hub-watch.js';
import type { QueueConnection } from '../../queue/bullmq/connection.js';
import type { ShareQueue } from '../../queue/share-queue.js';
import { StratumListenError } from '../../stratum/door/listener.js';
import type { OpenPort } from '../../stratum/door/ports.js';
import type { ProcessReport } from '../../web/state/processes.js';
import type { Books } from '../books/books.js';
import { STEADY_CLOCK } from '../clocks.js';
import { socketsOf } from '../rigs/kept-sockets.js';
import type { Key } from '../rigs/live-settings.js';
import type { Site } from '../site.js';
import { gateIn, openGate } from './gate.js';
import { type FrontLife, LIFE } from './life.js';
import { Places } from './places.js';
import { processesOf } from './processes.js';
import { heldBy, openPorts, processReport } from './reports.js';

export interface HubParts {
  readonly books: Pick<Books, 'ledger' | 'clock'>;
  readonly connection: QueueConnection;
  readonly works: FleetWorks;
  readonly crowds: CrowdSums;
  readonly solutions: SolutionDesk;
  readonly state: HubState;
  readonly watch: HubWatch;
  /** What the front of this number has left, which is no more, goes its way. */
  ship(index: number): Promise<void>;
}

const ENTRY = fileURLToPath(new URL('./front-main.js', import.meta.url));
const TICK_MS = 1_000;
const BALANCE_MS = 250;
/** A front starts within this time, or not at all. */
const BEGIN_MS = 60_000;
/** A list that is waited for by a person goes on without a front that takes longer. */
const LIST_MS = 2_000;
/** Of a stop, to hear of a front that it has stopped, and to end one that has not. */
const HEAR_MS = 200;
/** Of a stop at least. */
const NEED_MS = 1_500;

/** Settings of fronts alone: where they cannot change under rigs, new fronts take them. */
const isOfFronts = (key: Key): boolean => key.startsWith('stratum.') || key === 'processes';

export class Hub {
  readonly #site: Site;
  readonly #parts: HubParts;
  readonly #sockets = new BoundSockets();
  readonly #places: Places;
  readonly #fronts: Fronts;
  readonly #balance = new Balance();
  readonly #lives = new WeakMap<FrontProcess, FrontLife>();
  /** Those that a front which is started now inherits. */
  #inherited: readonly BoundSocket[] = [];
  /** As fronts that are started now have it. */
  #config: BridgeConfig;
  /** The next hub of this data directory will have one too. */
  #hasGate = false;
  #isUp: () => void = () => undefined;
  /** The first fronts of this hub let rigs in. */
  readonly #areUp = new Promise<void>((resolve) => {
    this.#isUp = resolve;
  });

  constructor(site: Site, parts: HubParts) {
    this.#site = site;
    this.#parts = parts;
    this.#config = site.config;
    this.#places = new Places(site, {
      ledger: parts.books.ledger,
      numbered: (index, number) => this.#worksOf(index)?.number(number),
    });
    this.#fronts = new Fronts({
      ...{ entry: ENTRY, log: site.log },
      fds: () => this.#inherited.map(({ fd }) => fd),
      handed: (port, socket) => this.#hand(port, socket),
      begin: (front) => this.#begin(front),
      leave: (front, overMs) => this.#leave(front, overMs),
      stop: (front, withinMs) => front.channel.remote(LIFE, withinMs - HEAR_MS).stop(withinMs - 2 * HEAR_MS),
      gone: (front, isForGood) => this.#gone(front, isForGood),
    });
  }

  /** Opens the ports and starts the fronts. Rejects with StratumListenError, or as a front's start does. */
  async listen(): Promise<void> {
    const { open, config } = this.#site;
    open.add('ports', () => this.#sockets.close());
    open.add('instance numbers of fronts', () => this.#places.close());
    open.add('fronts', (withinMs) => this.#fronts.close(withinMs), NEED_MS);
    await this.#openGate();
    await this.#begun(config, this.#site.kept);
    this.#isUp();
    const timer = setInterval(() => this.#tick(), TICK_MS);
    const balancing = setInterval(() => this.#tellLoads(), BALANCE_MS);
    open.add('word to fronts', () => {
      clearInterval(timer);
      clearInterval(balancing);
    });
  }

  /** There is a front of this number, or one is being started again. */
  hasPlace(index: number): boolean {
    return this.#places.has(index);
  }

  get fronts(): readonly FrontProcess[] {
    return this.#fronts.live;
  }

  get processes(): readonly ProcessReport[] {
    return this.fronts.map((front) => processReport(front, this.#stateOf(front)));
  }

  get sockets(): readonly OwnSocket[] {
    return socketsOf(this.#config, new Map(this.#sockets.all.map(({ name, handle }) => [name, handle])));
  }

  get ports(): readonly OpenPort[] {
    return openPorts(this.#config, this.#sockets.all, this.fronts);
  }

  get held(): ShareQueue['held'] {
    return heldBy(this.fronts);
  }

  /**
   * Resolves with the keys that are in force at all fronts that let rigs in. What cannot change under rigs is taken by new fronts, and
   * those of before leave. Rejects with StratumListenError, or as a front's start does: then those stay.
   */
  async applyLive(config: BridgeConfig): Promise<readonly Key[]> {
    const fronts = this.#fronts.staying;
    const taken = await Promise.all(fronts.map((front) => this.#lives.get(front)?.applyLive(config)));
    const [first = [], ...others] = taken.map((keys) => keys ?? []);
    const live = first.filter((key) => others.every((keys) => keys.includes(key))) as Key[];
    const now = { ...this.#config, ...pick(config, live) };
    const left = changedSettings(now, config).filter(isOfFronts);
    this.#config = now;
    if (left.length === 0 || processesOf(config) === 1) return live;
    await this.#begun({ ...now, ...pick(config, left) });
    return [...live, ...left];
  }

  async #openGate(): Promise<void> {
    this.#hasGate = await openGate(this.#site, {
      refusal: ({ front }) => (this.#places.has(front) ? `front ${front} is there already` : undefined),
      adopt: (hello, wire) => this.#adopt(hello, wire),
    });
  }

  get #drainMs(): number {
    return this.#config['stratum.drainSeconds'] * 1000;
  }

  /** Fronts with these settings let rigs in; those of before leave. */
  async #begun(config: BridgeConfig, kept?: Site['kept']): Promise<void> {
    const before = { indexes: this.#fronts.indexes, config: this.#config };
    const sockets = await this.#bind(config, kept);
    const indexes = await this.#places.take(processesOf(config)).catch((error) => {
      sockets.drop();
      throw error;
    });
    [this.#config, this.#inherited] = [config, sockets.all];
    try {
      await this.#fronts.start(indexes);
    } catch (error) {
      [this.#config, this.#inherited] = [before.config, this.#sockets.all];
      sockets.drop();
      await Promise.all(indexes.map((index) => this.#places.free(index)));
      throw error;
    }
    await this.#fronts.leave(before.indexes, this.#drainMs);
    sockets.take();
  }

  async #bind(config: BridgeConfig, kept: Site['kept']): Promise<NextSockets> {
    return this.#sockets.change(portsOf(config), kept).catch((error: Error) => {
      if (!(error instanceof BindError)) throw error;
      throw new StratumListenError(error.port, error.address, error.cause as Error);
    });
  }

  #stateOf(front: FrontProcess): ProcessReport['state'] {
    if (this.#fronts.isLeaving(front)) return 'leaving';
    if (front.beat === undefined) return 'starting';
    return this.#parts.watch.silent.includes(front.index) ? 'silent' : 'up';
  }

  #worksOf(index: number) {
    const front = this.#fronts.up.find((each) => each.index === index);
    return front?.channel.remote(WORKS);
  }

  async #begin(front: FrontProcess): Promise<void> {
    const { dataDir, instance } = await this.#places.at(front.index);
    const { connection, state: shared } = this.#parts;
    const life = this.#offerTo(front);
    const sockets = this.#inherited.map(({ name }, i) => [name, FIRST_SOCKET + i] as const);
    const gone = front.ended.then((how) => {
      throw new Error(`front ${front.index} has ended before it was up: ${how}`);
    });
    const count = processesOf(this.#config);
    const start = { index: front.index, count, config: this.#config, dataDir, connection, sockets };
    const state = { orders: shared.orders, instance: instance.number, aheadMs: this.#aheadMs };
    await Promise.race([life.begin({ ...start, ...state }), gone]);
    await this.#join(front);
  }

  /** What it may ask of the hub, from now on. */
  #offerTo(front: FrontProcess): FrontLife {
    const { watch, state: shared } = this.#parts;
    front.channel.offer(DESK, this.#deskOf(front));
    front.channel.offer(STATE, shared.deskOf(front.index));
    front.channel.offer(WATCH_DESK, watch.deskOf(front.index));
    const life = front.channel.remote(LIFE, BEGIN_MS);
    this.#lives.set(front, life);
    return life;
  }

  /** It serves rigs: from now on it has works, and is one of all. */
  async #join(front: FrontProcess): Promise<void> {
    const { index, channel } = front;
    const { works, watch, state: shared } = this.#parts;
    const { instance } = await this.#places.at(index);
    const told = channel.remote(WORKS);
    // It may have changed meanwhile.
    if (instance.number !== undefined) told.number(instance.number);
    works.joined(index, told);
    await shared.join(index, channel.remote(FRONT_STATE));
    const [frontWatch, steering] = [channel.remote(FRONT_WATCH, LIST_MS), channel.remote(STEERING)];
    await watch.join(index, { frontWatch, steering });
  }

  /** A front of the hub before. */
  #adopt(hello: Hello, wire: StreamWire): void {
    const { log } = this.#site;
    const front = new AdoptedFront(hello, wire);
    this.#offerTo(front);
    const join = async (): Promise<void> => {
      await this.#places.adopt(front.index);
      await this.#join(front);
    };
    const adopted = async (): Promise<void> => {
      await this.#fronts.adopt(front, join);
      log.info(
        { event: 'front-adopted', front: front.index, pid: front.pid },
        'a front of before is taken over',
      );
      // Until there are others that let rigs in it does.
      await this.#areUp;
      await this.#fronts.leave([front.index], this.#drainMs);
    };
    adopted().catch((error: Error) => {
      log.error({ front: front.index, error: error.message }, 'a front of before cannot be taken over');
      front.kill();
    });
  }

  /** The fronts go on without this hub, until another one takes them over at this data directory. */
  async letGo(): Promise<void> {
    if (!this.#hasGate) return;
    const path = gateIn(this.#site.config.dataDir);
    const waiting = this.#fronts.up.map(async (front) => {
      await this.#lives.get(front)?.awaitHub(path);
      this.#fronts.letGo(front);
      this.#places.letGo(front.index);
    });
    for (const each of await Promise.allSettled(waiting))
      if (each.status === 'rejected')
        this.#site.log.warn({ error: String(each.reason) }, 'a front ends with its hub: it does not answer');
  }

  async #leave(front: FrontProcess, overMs: number): Promise<void> {
    const { index } = front;
    this.#balance.left(index);
    this.#parts.watch.leaving(index);
    const words = `front ${index} leaves: its rigs have ${overMs / 1000} s to come to the others`;
    this.#site.log.info({ event: 'front-leaving', front: index }, words);
    await this.#lives.get(front)?.leave(overMs);
  }

  #gone({ index }: FrontProcess, isForGood: boolean): void {
    this.#parts.works.left(index);
    this.#parts.crowds.left(index);
    this.#balance.left(index);
    this.#parts.state.leave(index);
    this.#parts.watch.leave(index);
    if (!isForGood) return;
    void this.#places
      .leave(index)
      .then(() => this.#parts.ship(index))
      .catch((error: Error) => {
        const words = `what front ${index} has left is shipped by the next start`;
        this.#site.log.warn({ front: index, error: error.message }, words);
      });
  }

  #deskOf(front: FrontProcess): HubDesk {
    const { books, solutions } = this.#parts;
    const { log } = this.#site;
    return {
      takeSolution: (solution) => solutions.take(solution),
      answered: (...told) => solutions.answered(...told),
      missingEntries: (...asked) => books.ledger.missingEntries(...asked),
      announceProducer: (...asked) => books.ledger.announceProducer(...asked),
      log: (lines) => {
        for (const { level, fields, words } of lines) log[level]({ front: front.index, ...fields }, words);
      },
      load: (load) => {
        if (!this.#fronts.isLeaving(front)) this.#balance.told({ front: front.index, ...load });
      },
      beat: (beat) => {
        front.heardAtMs = performance.now();
        front.beat = beat;
        this.#parts.crowds.told(front.index, beat.crowds);
      },
    };
  }

  #hand(port: string, socket: Socket): void {
    const next = this.#balance.next();
    const front = this.#fronts.staying.find(({ index }) => index === next);
    if (!front?.hand(port, socket)) socket.destroy();
  }

  #tellLoads(): void {
    const loads = this.#balance.take();
    if (!loads) return;
    for (const front of this.#fronts.staying) front.channel.remote(BALANCE).loads(loads);
  }

  get #aheadMs(): number {
    return STEADY_CLOCK.nowMs() - this.#parts.books.clock.nowMs();
  }

  #tick(): void {
    this.#parts.works.tick();
    void this.#parts.state.tick();
    this.#parts.watch.tick();
    for (const front of this.#fronts.up) front.channel.remote(WORKS).booksClock(this.#aheadMs);
  }
}

function pick(config: BridgeConfig, keys: readonly Key[]): Partial<BridgeConfig> {
  return Object.fromEntries(keys.map((key) => [key, config[key]]));
}
