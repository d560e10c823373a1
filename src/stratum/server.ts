/** The stratum server: sessions over its transports, and the jobs that all of them get. */
import { randomBytes } from 'node:crypto';
import { Crowds } from '../bridge/crowds.js';
import type { SubmitEvent } from '../bridge/events.js';
import type { OrderKeeper, RigLabel, Steering } from '../bridge/orders/steering.js';
import type { JobSink } from '../bridge/ports.js';
import type { RigWatch } from '../bridge/watch/rig-watch.js';
import type { Job } from '../core/job.js';
import type { CertificateSource } from '../tls/certificate.js';
import type { Login } from './door/accounts.js';
import { Admission } from './door/admission.js';
import type { Connection } from './door/connection.js';
import { Front, type FrontOptions } from './door/front.js';
import type { ListenAddress } from './door/listener.js';
import { type OpenPort, type PortOptions, Ports } from './door/ports.js';
import { JobBoard } from './jobs/job-board.js';
import { Rounds } from './jobs/rounds.js';
import { AddressOrders } from './operator/address-orders.js';
import { Drain } from './operator/drain.js';
import { Keeping } from './operator/keeping.js';
import { RigOrders } from './operator/rig-orders.js';
import { SessionSteering } from './operator/steering.js';
import { watchOf } from './operator/watch.js';
import { type PortRules, RigRules, type RigSettings } from './rig-rules.js';
import { type SharedOptions, type SharedParts, sharedPartsOf } from './server-parts.js';
import { Session } from './session/session.js';
import type { SessionParts } from './session/session-parts.js';
import type { KeptRigs } from './tenure/former.js';

/** Its {@link RigSettings} may be changed while it runs. */
export interface StratumServerOptions extends RigSettings, SharedOptions {
  /** Where rigs come in; each has a name of its own. */
  readonly listeners: readonly PortOptions[];
  /** With it ports take TLS too; the owner closes it after the server. */
  readonly certificate?: CertificateSource | undefined;
  /** Web pages that may open a WebSocket here, by their Origin; `*` for all. */
  readonly origins?: readonly string[];
  /** Whether a rig may begin on this chain; without it on any. */
  handsOut?(chainId: number): boolean;
  /** A number that no other session of this process has. */
  nextSessionId(): number;
  /** Where sessions are counted by chain, for who chooses the chains to work on. */
  readonly crowds?: Crowds;
  /** An operator's orders are given to it. */
  readonly keeper?: OrderKeeper;
  /** So many random bytes; a parameter so that tests can have the same twice. */
  readonly randomBytes?: (length: number) => Buffer;
}

export interface StratumServer extends JobSink {
  /** Those that are open, by name, as really bound. */
  readonly addresses: Readonly<Record<string, ListenAddress>>;
  readonly ports: readonly OpenPort[];
  /** Open sessions, ready or not. */
  readonly sessions: number;
  /** What is kept for ended sessions that may come back. */
  readonly parked: number;
  /** Connections that were not let in. */
  readonly refused: number;
  readonly watch: RigWatch;
  readonly steering: Steering;
  /** Opens the ports. Rejects with `StratumListenError` when an address cannot be had; nothing is left listening then. */
  listen(): Promise<void>;
  /** Takes all of them anew, from now on. */
  changeRules(settings: RigSettings): void;
  /** What rigs may come back to; all of it once the server is closed. */
  readonly kept: KeptRigs;
  /** No new connections; rigs are told; pending submits are answered; then every session is ended. */
  close(): Promise<void>;
}

/** Each tick is that of some sessions: of 10,000, that is 200 with a job each. */
const TICK_MS = 10;
/** A session has its turn for a job twice a second, which is the shortest time between two; and what is due by time once. */
const TICKS_A_ROUND = 50;
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
  readonly #front: Front;
  readonly #random: (length: number) => Buffer;
  readonly #sessions = new Set<Session>();
  readonly #rounds = new Rounds<Session>(TICKS_A_ROUND);
  readonly #ports: Ports;
  readonly #addressOrders: AddressOrders;
  #timer: NodeJS.Timeout | undefined;
  readonly #board: JobBoard;
  readonly #drain: Drain;
  readonly #labels: RigOrders<RigLabel>;
  readonly #keeping: Keeping;
  readonly watch: RigWatch;
  readonly steering: Steering;
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
      crowds: options.crowds ?? new Crowds(),
      jobs: options.jobs,
      handsOut: (chainId) => options.handsOut?.(chainId) ?? true,
    });
    const admission = new Admission(this.#rules.limits, this.#parts.bans, this.#parts.addresses);
    this.#front = new Front({
      admission,
      addresses: this.#parts.addresses,
      limits: this.#rules.limits,
      nowMs: () => options.clock.nowMs(),
      secureContext: contextOf(options.certificate),
      log: options.log,
    });
    this.#ports = new Ports({
      ...{ front: this.#front, rules: this.#rules, origins: options.origins ?? [] },
      hasCertificate: options.certificate !== undefined,
      accept: (connection, rules) => this.#open(connection, rules),
    });
    this.#drain = this.#makeDrain(admission);
    this.#labels = new RigOrders(options.kept?.labels);
    this.#keeping = this.#makeKeeping();
    this.#startedAtMs = options.clock.nowMs();
    options.events.on('submit', this.#onSubmit);
    this.watch = this.#makeWatch();
    this.steering = this.#makeSteering();
  }

  get addresses(): StratumServer['addresses'] {
    return this.#ports.addresses;
  }

  get ports(): readonly OpenPort[] {
    return this.#ports.open;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  get parked(): number {
    return this.#parts.parking.size;
  }

  get kept(): KeptRigs {
    const { parking, rigBook } = this.#parts;
    return { tenures: parking.kept(this.#nowMs()), difficulties: rigBook.difficulties };
  }

  get refused(): number {
    return this.#front.refused;
  }

  async listen(): Promise<void> {
    try {
      await this.#ports.listen(this.#options.listeners);
      this.#timer = setInterval(() => this.#tick(), TICK_MS);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  changeRules(settings: RigSettings): void {
    this.#rules.change(settings);
    this.#front.limitsChanged();
    this.#front.listsChanged();
    this.#parts.addresses.limitsChanged();
    for (const session of this.#sessions) session.rulesChanged();
  }

  offerJob(job: Job): void {
    this.#board.offerJob(job);
  }

  retireChains(chainIds: readonly number[]): void {
    this.#board.retireChains(chainIds);
  }

  async close(): Promise<void> {
    this.#ports.close();
    for (const session of this.#sessions) session.askToReconnect(this.#reconnectDelaySeconds());
    await this.#pendingAnswered();
    clearInterval(this.#timer);
    for (const session of this.#sessions) session.end('the bridge stops');
    this.#options.events.off('submit', this.#onSubmit);
    await this.#front.close();
    await this.#keeping.close();
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
      isBanned: ({ login, addressKey }, nowMs) => this.#isBanned(login, addressKey, nowMs),
      counts: () => ({
        sessions: this.sessions,
        leased: this.#parts.leases.leased,
        parked: this.parked,
        bans: this.#parts.bans.size,
        waiting: this.#front.waiting,
        refused: this.refused,
      }),
      bans: () => this.#parts.bans.list(this.#nowMs()),
      drain: () => this.#drain.report,
      nowMs: () => this.#nowMs(),
    });
  }

  #isBanned({ account, rig }: Login, addressKey: string, nowMs: number): boolean {
    const { bans } = this.#parts;
    const ban = bans.ofRig(account, rig, addressKey, nowMs) ?? bans.ofAddress(addressKey, nowMs);
    return ban !== undefined;
  }

  #makeDrain(admission: Admission): Drain {
    return new Drain({
      sessions: () => this.#sessions,
      admission,
      front: this.#front,
      events: this.#options.events,
      random: this.#random,
      nowMs: () => this.#nowMs(),
    });
  }

  #makeKeeping(): Keeping {
    const { keeper, log } = this.#options;
    const { bans, ordered } = this.#parts;
    return new Keeping({
      ...{ keeper, log },
      orders: () => ({
        bans: bans.kept(this.#nowMs()),
        difficulties: ordered.all,
        labels: this.#labels.all,
        addresses: this.#addressOrders.all,
      }),
      banChanges: () => bans.changes,
    });
  }

  #makeSteering(): Steering {
    const { events } = this.#options;
    const { bans, ordered } = this.#parts;
    return new SessionSteering({
      sessions: () => this.#sessions,
      listed: this.#addressOrders,
      bans,
      ordered,
      labels: this.#labels,
      drain: this.#drain,
      front: this.#front,
      keeping: this.#keeping,
      events,
      nowMs: () => this.#nowMs(),
    });
  }

  #nowMs(): number {
    return this.#options.clock.nowMs();
  }

  #open(connection: Connection, rules: PortRules): Session {
    const id = this.#options.nextSessionId();
    const session: Session = new Session(this.#partsAt(rules), connection, id, () => {
      this.#sessions.delete(session);
      this.#ports.left(rules);
      this.#board.left(session);
    });
    this.#sessions.add(session);
    return session;
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
    if (this.#rounds.begins && isSecond) this.#tickShared(nowMs);
    this.#board.turnsAt(nowMs);
    this.#rounds.next(this.#sessions, (session) => {
      if (isSecond) session.tick(nowMs);
      this.#board.turn(session, isSecond);
    });
  }

  /** Once a second, what no session owns. */
  #tickShared(nowMs: number): void {
    this.#front.tick(nowMs);
    this.#parts.parking.expire(nowMs);
    this.#parts.leases.shrink(nowMs);
    this.#parts.bans.expire(nowMs);
    this.#keeping.tick(nowMs);
    this.#drain.tick(nowMs);
  }

  #reconnectDelaySeconds(): number {
    return this.#random(1).readUInt8(0) % RECONNECT_SPREAD_SECONDS;
  }

  async #pendingAnswered(): Promise<void> {
    const untilMs = performance.now() + this.#rules.limits.stopTimeoutMs / 2;
    const pending = (): boolean => [...this.#sessions].some((session) => session.pendingSubmits > 0);
    while (pending() && performance.now() < untilMs) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function contextOf(certificate: CertificateSource | undefined): FrontOptions['secureContext'] {
  return certificate && (() => certificate.context);
}
