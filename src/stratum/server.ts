/** The stratum server: sessions over its transports, and the jobs that all of them get. */
import { randomBytes } from 'node:crypto';
import type { SubmitEvent } from '../bridge/events.js';
import { SessionCounts } from '../bridge/session-counts.js';
import { NO_OTHERS } from '../bridge/watch/other-bridges.js';
import type { RigWatch } from '../bridge/watch/rig-watch.js';
import type { RigLabel } from '../operations/orders/by-order.js';
import type { Certificate } from '../tls/certificate.js';
import { Admission } from './admission/admission.js';
import { Arrivals, type ArrivalsOptions } from './admission/arrivals.js';
import type { Connection } from './admission/connection.js';
import { listen } from './admission/listener.js';
import { type OpenPort, Ports } from './admission/ports.js';
import { JobBoard } from './jobs/job-board.js';
import { Rounds } from './jobs/rounds.js';
import { AddressOrders } from './operator/address-orders.js';
import { Drain } from './operator/drain.js';
import { Operator } from './operator/operator.js';
import { type KeptOrders, OrderSaver } from './operator/order-saver.js';
import { RigOrders } from './operator/rig-orders.js';
import { watchOf } from './operator/watch.js';
import { Release } from './release.js';
import type { KeptRigs } from './resume/former.js';
import type { RigRecord } from './resume/rig-record.js';
import { type PortRules, RigRules, type RigSettings } from './rig-rules.js';
import { type SharedParts, sharedPartsOf } from './server-parts.js';
import type { StratumServer, StratumServerOptions } from './server-types.js';
import { ConnectionSlots } from './session/connection-slots.js';
import { Protocol } from './session/protocol.js';
import { Session } from './session/session.js';
import type { SessionParts } from './session/session-parts.js';

export type { StratumServer, StratumServerOptions };

/** Each tick is that of some sessions: of 10,000, that is 100 with a job each. */
const TICK_MS = 5;
/** A session has its turn for a job twice a second, which is the shortest time between two; and what is due by time once. */
const TICKS_A_ROUND = 100;
const SECOND_MS = 1_000;
/** Rigs that are told to reconnect spread over so long. */
const RECONNECT_SPREAD_SECONDS = 10;

/** Nothing of it runs before it listens. */
export function createStratumServer(options: StratumServerOptions): StratumServer {
  return new Server(options);
}

/** One that listens. Rejects as `listen` does. */
export async function startStratumServer(options: StratumServerOptions): Promise<StratumServer> {
  const server = createStratumServer(options);
  await server.listen();
  return server;
}

class Server implements StratumServer {
  readonly #options: StratumServerOptions;
  readonly #rules: RigRules;
  readonly #parts: SharedParts;
  readonly #partsByPort = new Map<PortRules, SessionParts>();
  readonly #arrivals: Arrivals;
  readonly #random: (length: number) => Buffer;
  readonly #sessions = new Set<Session>();
  readonly #slots = new ConnectionSlots();
  readonly #rounds = new Rounds<Session>(TICKS_A_ROUND);
  readonly #ports: Ports;
  readonly #addressOrders: AddressOrders;
  /** Of turns: nobody has one while no rig is here. */
  #timer: NodeJS.Timeout | undefined;
  #secondTimer: NodeJS.Timeout | undefined;
  readonly #board: JobBoard;
  readonly #drain: Drain;
  readonly #release: Release;
  readonly #labels: RigOrders<RigLabel>;
  readonly #orderSaver: OrderSaver;
  readonly watch: RigWatch;
  readonly operator: Operator;
  readonly #startedAtMs: number;
  readonly #onSubmit = (submit: SubmitEvent): void => this.#count(submit);

  constructor(options: StratumServerOptions) {
    this.#options = options;
    const names = options.listeners.map(({ name }) => name);
    this.#addressOrders = new AddressOrders(options.kept?.addresses);
    this.#rules = new RigRules(options, names, this.#addressOrders);
    this.#random = options.randomBytes ?? randomBytes;
    this.#parts = sharedPartsOf(options, {
      rules: this.#rules,
      random: this.#random,
      board: () => this.#board,
    });
    this.#board = new JobBoard({
      sessions: () => this.#sessions,
      groups: () => this.#parts.leases.groups,
      sessionCounts: options.sessionCounts ?? new SessionCounts(),
      jobs: options.jobs,
      handsOut: (chainId) => options.handsOut?.(chainId) ?? true,
    });
    const admission = new Admission({
      limits: this.#rules.limits,
      bans: this.#parts.bans,
      addresses: this.#parts.addresses,
      whyShut: () => this.#drain.whyShut ?? this.#release.whyShut,
      makeRoom: (isOwed, nowMs) => this.#slots.makeRoom(isOwed, nowMs),
      log: options.log,
    });
    this.#arrivals = new Arrivals({
      admission,
      addresses: this.#parts.addresses,
      limits: this.#rules.limits,
      nowMs: () => options.clock.nowMs(),
      secureContext: contextOf(options.certificate),
      log: options.log,
    });
    this.#ports = new Ports({
      ...{ arrivals: this.#arrivals, rules: this.#rules, origins: options.origins ?? [] },
      hasCertificate: options.certificate !== undefined,
      listen: options.listen ?? listen,
      accept: (connection, rules) => this.#open(connection, rules),
    });
    this.#drain = this.#makeDrain();
    this.#release = this.#makeRelease();
    this.#labels = new RigOrders(options.kept?.labels);
    this.#orderSaver = this.#makeOrderSaver();
    this.#startedAtMs = options.clock.nowMs();
    options.events.on('submit', this.#onSubmit);
    this.watch = this.#makeWatch();
    this.operator = this.#makeOperator();
  }

  get jobs(): JobBoard {
    return this.#board;
  }

  get addresses(): StratumServer['addresses'] {
    return Object.fromEntries(this.allPorts.map(({ name, address }) => [name, address]));
  }

  get ports(): readonly OpenPort[] {
    return this.#ports.open;
  }

  get allPorts(): readonly OpenPort[] {
    return this.#ports.all;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  get resumable(): number {
    return this.#parts.resumables.size;
  }

  get kept(): KeptRigs {
    const { resumables, rigBook, addresses } = this.#parts;
    const nowMs = this.#nowMs();
    return {
      resumableSessions: resumables.kept(nowMs),
      difficulties: rigBook.difficulties,
      addresses: addresses.kept(nowMs),
    };
  }

  get orders(): KeptOrders {
    const { bans, ordered } = this.#parts;
    return {
      bans: bans.kept(this.#nowMs()),
      difficulties: ordered.all,
      labels: this.#labels.all,
      addresses: this.#addressOrders.all,
      untold: this.#options.sharing?.untold ?? [],
    };
  }

  get refused(): number {
    return this.#arrivals.refused;
  }

  check(): Promise<void> {
    return this.#ports.check(this.#options.listeners);
  }

  async listen(): Promise<void> {
    try {
      await this.#ports.listen(this.#options.listeners);
      this.#release.tick(this.#nowMs());
      this.#secondTimer = setInterval(() => this.#tickShared(), SECOND_MS);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  changeRules(settings: RigSettings): void {
    this.#rules.change(settings);
    this.#arrivals.limitsChanged();
    this.#arrivals.listsChanged();
    this.#parts.addresses.limitsChanged();
    for (const session of this.#sessions) session.rulesChanged();
  }

  async close(withinMs = Number.POSITIVE_INFINITY): Promise<void> {
    this.#ports.close();
    for (const session of this.#sessions) session.askToReconnect(this.#reconnectDelaySeconds());
    await this.#pendingAnswered(Math.min(this.#rules.limits.stopTimeoutMs, withinMs) / 2);
    clearInterval(this.#secondTimer);
    for (const session of this.#sessions) session.end('the bridge stops');
    this.#options.events.off('submit', this.#onSubmit);
    await this.#arrivals.close();
    await this.#orderSaver.close();
  }

  /** CPU threads have no session here, yet their shares belong to the hash rate of a rig and an account. */
  #count({ session, account, rig, outcome, difficulty, reached }: SubmitEvent): void {
    const { rigBook } = this.#parts;
    if (outcome !== 'accepted') rigBook.rejected({ account, rig }, outcome, this.#nowMs());
    if (session.transport !== 'cpu' || difficulty === undefined) return;
    const sinceMs = this.#startedAtMs;
    const share = { difficulty: Number(difficulty), reached, nextDifficulty: undefined, sinceMs };
    rigBook.share(rigBook.recordOf({ account, rig }), share, this.#nowMs());
  }

  #makeWatch(): RigWatch {
    return watchOf({
      rigBook: this.#parts.rigBook,
      ordered: this.#parts.ordered,
      labels: this.#labels,
      sessions: () => this.#sessions,
      isBanned: (record, nowMs) => this.#isKeptOut(record, nowMs),
      counts: () => ({
        sessions: this.sessions,
        leased: this.#parts.leases.leased,
        resumable: this.resumable,
        bans: this.#parts.bans.size,
        waiting: this.#arrivals.waiting,
        refused: this.refused,
      }),
      bans: () => this.#parts.bans.list(this.#nowMs()),
      addresses: () => this.#addressOrders.all,
      drain: () => this.#drain.report,
      others: () => this.#options.others?.() ?? NO_OTHERS,
      nowMs: () => this.#nowMs(),
    });
  }

  /** By a ban, or where it came from by the port that it came by. */
  #isKeptOut({ login: { account, rig }, addressKey, cameFrom }: RigRecord, nowMs: number): boolean {
    const { bans } = this.#parts;
    const ban = bans.ofRig(account, rig, addressKey, nowMs) ?? bans.ofAddress(addressKey, nowMs);
    return (
      ban !== undefined || (cameFrom && this.#rules.at(cameFrom.port).whyShut(cameFrom.host)) !== undefined
    );
  }

  #makeRelease(): Release {
    return new Release({
      whyReleased: () => this.#options.whyReleased?.(),
      sessions: () => this.#sessions,
      ports: this.#ports,
      arrivals: this.#arrivals,
      log: this.#options.log,
    });
  }

  #makeDrain(): Drain {
    return new Drain({
      sessions: () => this.#sessions,
      arrivals: this.#arrivals,
      events: this.#options.events,
      random: this.#random,
      nowMs: () => this.#nowMs(),
    });
  }

  #makeOrderSaver(): OrderSaver {
    const { keeper, log } = this.#options;
    const { bans } = this.#parts;
    return new OrderSaver({
      ...{ keeper, log },
      orders: () => this.orders,
      banChanges: () => bans.changes,
    });
  }

  #makeOperator(): Operator {
    const { events } = this.#options;
    const { bans, ordered } = this.#parts;
    return new Operator({
      sessions: () => this.#sessions,
      listed: this.#addressOrders,
      bans,
      ordered,
      labels: this.#labels,
      drain: this.#drain,
      arrivals: this.#arrivals,
      orderSaver: this.#orderSaver,
      sharing: this.#options.sharing,
      events,
      nowMs: () => this.#nowMs(),
    });
  }

  #nowMs(): number {
    return this.#options.clock.nowMs();
  }

  #open(connection: Connection, rules: PortRules): Protocol {
    const id = this.#options.nextSessionId();
    const session: Session = new Session(this.#partsAt(rules), connection, id, () => {
      this.#sessions.delete(session);
      this.#slots.left(session);
      this.#ports.left(rules);
      this.#board.left(session);
      if (this.#sessions.size === 0) this.#rest();
    });
    this.#sessions.add(session);
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
    return new Protocol(session);
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One object for all sessions of a port. */
  #partsAt(rules: PortRules): SessionParts {
    const parts = this.#partsByPort.get(rules) ?? { ...this.#parts, rules };
    this.#partsByPort.set(rules, parts);
    return parts;
  }

  #tick(): void {
    const nowMs = this.#nowMs();
    const isSecond = this.#rounds.number % 2 === 0;
    this.#board.turnsAt(nowMs);
    this.#rounds.next(this.#sessions, (session) => {
      if (isSecond) session.tick(nowMs);
      if (isSecond && this.#sessions.has(session)) this.#slots.look(session, nowMs);
      this.#board.turn(session, isSecond);
    });
  }

  /** Once a second, what no session owns. */
  #tickShared(): void {
    const nowMs = this.#nowMs();
    this.#arrivals.tick(nowMs);
    this.#parts.resumables.expire(nowMs);
    this.#parts.leases.shrink(nowMs);
    this.#parts.bans.expire(nowMs);
    this.#orderSaver.tick(nowMs);
    this.#drain.tick(nowMs);
    this.#release.tick(nowMs);
  }

  #reconnectDelaySeconds(): number {
    return this.#random(1).readUInt8(0) % RECONNECT_SPREAD_SECONDS;
  }

  async #pendingAnswered(withinMs: number): Promise<void> {
    const untilMs = performance.now() + withinMs;
    const pending = (): boolean => [...this.#sessions].some((session) => session.submits.pending > 0);
    while (pending() && performance.now() < untilMs) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function contextOf(certificate: Pick<Certificate, 'context'> | undefined): ArrivalsOptions['secureContext'] {
  return certificate && (() => certificate.context);
}
