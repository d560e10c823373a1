/** The stratum server: sessions over its transports, and the jobs that all of them get. */
import { randomBytes } from 'node:crypto';
import type { BridgeEvents, SubmitEvent } from '../bridge/events.js';
import type { Clock, JobSink, JobSource, Judge } from '../bridge/ports.js';
import type { RigWatch } from '../bridge/rig-watch.js';
import type { Job } from '../core/job.js';
import type { Log } from '../core/log.js';
import type { NonceSpace } from '../core/nonce.js';
import { VARDIFF_SETTINGS, type VardiffSettings } from '../core/vardiff.js';
import { type AccountPolicy, Accounts } from './accounts.js';
import { Addresses } from './addresses.js';
import { Admission } from './admission.js';
import { Bans } from './bans.js';
import type { CertificateSource } from './certificate.js';
import type { Connection } from './connection.js';
import { fastestFirst } from './fastest-first.js';
import { blockListOf, Front, type FrontOptions } from './front.js';
import { JobBoard } from './job-board.js';
import { STRATUM_LIMITS, type StratumLimits } from './limits.js';
import { type ListenAddress, type Listener, listen } from './listener.js';
import { NonceDetective } from './nonce-detective.js';
import { NonceLeases } from './nonce-leases.js';
import { Offences } from './offences.js';
import { Parking } from './parking.js';
import { RigBook } from './rig-book.js';
import { Session } from './session.js';
import type { SessionParts } from './session-parts.js';
import type { ShareDifficulty } from './share-target.js';
import { serveTcp } from './tcp.js';
import { watchOf } from './watch.js';
import { WsFront } from './ws.js';

export interface StratumServerOptions {
  readonly tcp?: ListenAddress | undefined;
  readonly ws?: ListenAddress | undefined;
  /** With it both ports take TLS too; the owner closes it after the server. */
  readonly certificate?: CertificateSource | undefined;
  /** Addresses and prefixes of balancers: their connections begin with a PROXY header, version 1 or 2. */
  readonly balancers?: readonly string[];
  /** Web pages that may open a WebSocket here, by their Origin; `*` for all. */
  readonly origins?: readonly string[];
  readonly judge: Judge;
  /** Shared with everything else that mines for this bridge. */
  readonly nonceSpace: NonceSpace;
  /** Time rolling; without it rigs get jobs only when the node gives new work. */
  readonly jobs?: JobSource;
  /** Whether a rig may begin on this chain; without it on any. */
  handsOut?(chainId: number): boolean;
  readonly clock: Clock;
  readonly events: BridgeEvents;
  readonly log: Log;
  /** A number that no other session of this process has. */
  nextSessionId(): number;
  readonly shareDifficulty: ShareDifficulty;
  readonly accounts?: AccountPolicy;
  readonly vardiff?: Partial<VardiffSettings>;
  /** Lowest vardiff difficulties by the beginning of the agent's name. */
  readonly agentFloors?: Readonly<Record<string, number>>;
  /** Beginnings of the names of agents that follow `client.reconnect`. */
  readonly reconnectAgents?: readonly string[];
  readonly limits?: Partial<StratumLimits>;
  /** So many random bytes; a parameter so that tests can have the same twice. */
  readonly randomBytes?: (length: number) => Buffer;
}

export interface StratumServer extends JobSink {
  /** As really bound. */
  readonly addresses: { readonly tcp?: ListenAddress; readonly ws?: ListenAddress };
  /** Open sessions, ready or not. */
  readonly sessions: number;
  /** What is kept for ended sessions that may come back. */
  readonly parked: number;
  /** Connections that were not let in. */
  readonly refused: number;
  /** Sessions on each chain that is mined. */
  readonly sessionsByChain: ReadonlyMap<number, number>;
  readonly watch: RigWatch;
  /** No new connections; rigs are told; pending submits are answered; then every session is ended. */
  close(): Promise<void>;
}

/** Every second tick is that of sessions and handshakes; each may roll jobs, so this is the shortest time between two. */
const TICK_MS = 500;
/** How often sessions are put in order of their speed, and spread over the chains by it. */
const ORDER_EVERY_TICKS = 20;
/** Rigs that are told to reconnect spread over so long. */
const RECONNECT_SPREAD_SECONDS = 10;
const TOKEN_BYTES = 16;
/** Agents known to follow `client.reconnect`. */
const RECONNECT_AGENTS = ['stratum-bridge'];

/** Rejects with `StratumListenError` when an address cannot be had; nothing is left listening then. */
export async function startStratumServer(options: StratumServerOptions): Promise<StratumServer> {
  const server = new Server(options);
  try {
    await server.listen();
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

class Server implements StratumServer {
  readonly #options: StratumServerOptions;
  readonly #limits: StratumLimits;
  readonly #parts: SessionParts;
  readonly #front: Front;
  readonly #random: (length: number) => Buffer;
  /** In the order in which they get jobs: fastest first. */
  #sessions = new Set<Session>();
  readonly #listeners: { tcp?: Listener; ws?: Listener } = {};
  readonly #timer: NodeJS.Timeout;
  readonly #board: JobBoard;
  readonly watch: RigWatch;
  readonly #startedAtMs: number;
  readonly #onSubmit = (submit: SubmitEvent): void => this.#countCpuShare(submit);
  #ticks = 0;

  constructor(options: StratumServerOptions) {
    this.#options = options;
    this.#limits = { ...STRATUM_LIMITS, ...options.limits };
    this.#random = options.randomBytes ?? randomBytes;
    this.#parts = this.#makeParts();
    this.#board = new JobBoard({
      sessions: () => this.#sessions,
      groups: () => this.#parts.leases.groups,
      jobs: options.jobs,
      handsOut: (chainId) => options.handsOut?.(chainId) ?? true,
    });
    this.#front = new Front({
      admission: new Admission(this.#limits, this.#parts.bans, this.#parts.addresses),
      addresses: this.#parts.addresses,
      gate: {
        perSecond: this.#limits.connectsPerSecond,
        burst: this.#limits.connectBurst,
        waiting: this.#limits.connectsWaiting,
      },
      nowMs: () => options.clock.nowMs(),
      handshakeTimeoutMs: this.#limits.handshakeTimeoutMs,
      balancers: blockListOf(options.balancers ?? []),
      secureContext: contextOf(options.certificate),
      log: options.log,
    });
    this.#startedAtMs = options.clock.nowMs();
    options.events.on('submit', this.#onSubmit);
    this.watch = this.#makeWatch();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  get addresses(): StratumServer['addresses'] {
    const { tcp, ws } = this.#listeners;
    return { ...(tcp ? { tcp: tcp.address } : {}), ...(ws ? { ws: ws.address } : {}) };
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  get parked(): number {
    return this.#parts.parking.size;
  }

  get refused(): number {
    return this.#front.refused;
  }

  get sessionsByChain(): ReadonlyMap<number, number> {
    return this.#board.counts;
  }

  async listen(): Promise<void> {
    const { tcp, ws } = this.#options;
    const { lineBytes } = this.#limits;
    const accept = (connection: Connection): Session => this.#open(connection);
    if (tcp) {
      this.#listeners.tcp = await listen('rigs over TCP', tcp, (raw) =>
        this.#front.open(raw, (visitor) => {
          visitor.arrived();
          serveTcp(visitor, lineBytes, accept);
        }),
      );
    }
    if (ws) {
      const http = new WsFront({ lineBytes, origins: this.#options.origins ?? [] }, accept);
      this.#listeners.ws = await listen('rigs over WebSocket', ws, (raw) =>
        this.#front.open(raw, (visitor) => http.handle(visitor)),
      );
    }
  }

  offerJob(job: Job): void {
    this.#board.offerJob(job);
  }

  retireChains(chainIds: readonly number[]): void {
    this.#board.retireChains(chainIds);
  }

  async close(): Promise<void> {
    this.#listeners.tcp?.close();
    this.#listeners.ws?.close();
    for (const session of this.#sessions) session.askToReconnect(this.#reconnectDelaySeconds());
    await this.#pendingAnswered();
    clearInterval(this.#timer);
    for (const session of this.#sessions) session.end('the bridge stops');
    this.#options.events.off('submit', this.#onSubmit);
    await this.#front.close();
  }

  /** CPU threads have no session here, yet their shares belong to the hash rate of a rig and an account. */
  #countCpuShare({ session, account, rig, difficulty }: SubmitEvent): void {
    if (session.transport !== 'cpu' || difficulty === undefined) return;
    const share = { difficulty: Number(difficulty), nextDifficulty: undefined, sinceMs: this.#startedAtMs };
    this.#parts.rigBook.share({ account, rig }, share, this.#nowMs());
  }

  #makeParts(): SessionParts {
    const { options, limits } = { options: this.#options, limits: this.#limits };
    const { banMs, bannedRigsPerAddress, remembered } = limits;
    const bans = new Bans({ banMs, rigsPerAddress: bannedRigsPerAddress, max: remembered });
    const leases = new NonceLeases(options.nonceSpace, options.jobs?.groups ?? 1);
    return {
      judge: options.judge,
      leases,
      parking: new Parking(leases.quarantineMs, remembered),
      rigBook: new RigBook(remembered, options.accounts?.mode === 'password'),
      bans,
      addresses: new Addresses(limits),
      offences: new Offences(bans, limits, options.log),
      detective: new NonceDetective(options.clock.nowMs()),
      clock: options.clock,
      events: options.events,
      log: options.log,
      limits,
      accounts: new Accounts(options.accounts ?? { mode: 'open' }),
      shareDifficulty: options.shareDifficulty,
      vardiff: { ...VARDIFF_SETTINGS, ...options.vardiff },
      agentFloors: options.agentFloors ?? {},
      reconnectAgents: options.reconnectAgents ?? RECONNECT_AGENTS,
      newestJob: (session) => this.#board.newestFor(session),
      oldestJob: () => options.jobs?.oldestJob ?? 0,
      newToken: () => this.#random(TOKEN_BYTES).toString('hex'),
      byToken: new Map(),
    };
  }

  #makeWatch(): RigWatch {
    return watchOf({
      rigBook: this.#parts.rigBook,
      sessions: () => this.#sessions,
      chainOf: (session) => this.#board.chainOf(session),
      counts: () => ({
        sessions: this.sessions,
        leased: this.#parts.leases.leased,
        parked: this.parked,
        bans: this.#parts.bans.list(this.#nowMs()).length,
        waiting: this.#front.waiting,
        refused: this.refused,
      }),
      bans: () => this.#parts.bans.list(this.#nowMs()),
      nowMs: () => this.#nowMs(),
    });
  }

  #nowMs(): number {
    return this.#options.clock.nowMs();
  }

  #open(connection: Connection): Session {
    const session: Session = new Session(this.#parts, connection, this.#options.nextSessionId(), () => {
      this.#sessions.delete(session);
      this.#board.left(session);
    });
    this.#sessions.add(session);
    return session;
  }

  #tick(): void {
    const nowMs = this.#nowMs();
    this.#ticks++;
    if (this.#ticks % 2 === 0) {
      this.#front.tick(nowMs);
      this.#parts.parking.expire(nowMs);
      this.#parts.leases.shrink(nowMs);
      for (const session of this.#sessions) session.tick(nowMs);
    }
    if (this.#ticks % ORDER_EVERY_TICKS === 0) {
      this.#sessions = new Set(fastestFirst(this.#sessions));
      this.#board.balance();
    }
    this.#board.tick(nowMs);
  }

  #reconnectDelaySeconds(): number {
    return this.#random(1).readUInt8(0) % RECONNECT_SPREAD_SECONDS;
  }

  async #pendingAnswered(): Promise<void> {
    const untilMs = performance.now() + this.#limits.stopTimeoutMs / 2;
    const pending = (): boolean => [...this.#sessions].some((session) => session.pendingSubmits > 0);
    while (pending() && performance.now() < untilMs) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function contextOf(certificate: CertificateSource | undefined): FrontOptions['secureContext'] {
  return certificate && (() => certificate.context);
}
