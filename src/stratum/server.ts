/** The stratum server: sessions over its transports, and the jobs that all of them get. */
import { randomBytes } from 'node:crypto';
import type { BridgeEvents } from '../bridge/events.js';
import type { Clock, JobSink, JobSource, Judge } from '../bridge/ports.js';
import type { Job } from '../core/job.js';
import type { Log } from '../core/log.js';
import type { NonceSpace } from '../core/nonce.js';
import { VARDIFF_SETTINGS, type VardiffSettings } from '../core/vardiff.js';
import type { AccountPolicy } from './accounts.js';
import { Admission } from './admission.js';
import { type Ban, Bans } from './bans.js';
import type { CertificateSource } from './certificate.js';
import { type Connection, SharedLine } from './connection.js';
import { fastestFirst } from './fastest-first.js';
import { blockListOf, Front, type FrontOptions } from './front.js';
import type { JobLine } from './job-feed.js';
import { STRATUM_LIMITS, type StratumLimits } from './limits.js';
import { type ListenAddress, type Listener, listen } from './listener.js';
import { encodeNotice } from './messages.js';
import { NonceDetective } from './nonce-detective.js';
import { NonceLeases } from './nonce-leases.js';
import { Parking } from './parking.js';
import { RigBook, type RigReport } from './rig-book.js';
import { Session } from './session.js';
import type { SessionParts } from './session-parts.js';
import type { ShareDifficulty } from './share-target.js';
import { serveTcp } from './tcp.js';
import { WsFront } from './ws.js';

export interface StratumServerOptions {
  readonly tcp?: ListenAddress | undefined;
  readonly ws?: ListenAddress | undefined;
  /** With it both ports take TLS too; the owner closes it after the server. */
  readonly certificate?: CertificateSource | undefined;
  /** Addresses and prefixes of balancers: their connections begin with a PROXY header, version 1 or 2. */
  readonly balancers?: readonly string[];
  readonly judge: Judge;
  /** Shared with everything else that mines for this bridge. */
  readonly nonceSpace: NonceSpace;
  /** Time rolling; without it rigs get jobs only when the node gives new work. */
  readonly jobs?: JobSource;
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
  /** Bans in force. */
  bans(): Ban[];
  /** Hash rates of the rigs that had shares accepted, those of the last hour foremost. */
  rigs(): RigReport[];
  accounts(): RigReport[];
  /** No new connections; rigs are told; pending submits are answered; then every session is ended. */
  close(): Promise<void>;
}

/** Every second tick is that of sessions and handshakes; each may roll jobs, so this is the shortest time between two. */
const TICK_MS = 500;
/** How often sessions are put in order of their speed. */
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
  /** The newest job of each group. */
  readonly #newest: JobLine[] = [];
  #ticks = 0;

  constructor(options: StratumServerOptions) {
    this.#options = options;
    this.#limits = { ...STRATUM_LIMITS, ...options.limits };
    this.#random = options.randomBytes ?? randomBytes;
    this.#parts = this.#makeParts();
    this.#front = new Front({
      admission: new Admission(this.#limits, this.#parts.bans),
      nowMs: () => options.clock.nowMs(),
      handshakeTimeoutMs: this.#limits.handshakeTimeoutMs,
      balancers: blockListOf(options.balancers ?? []),
      secureContext: contextOf(options.certificate),
      log: options.log,
    });
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

  bans(): Ban[] {
    return this.#parts.bans.list(this.#nowMs());
  }

  rigs(): RigReport[] {
    return this.#parts.rigBook.rigs(this.#nowMs());
  }

  accounts(): RigReport[] {
    return this.#parts.rigBook.accounts(this.#nowMs());
  }

  async listen(): Promise<void> {
    const { tcp, ws } = this.#options;
    const { lineBytes } = this.#limits;
    const accept = (connection: Connection): Session => this.#open(connection);
    if (tcp) {
      this.#listeners.tcp = await listen('rigs over TCP', tcp, (raw) =>
        this.#front.open(raw, (socket, peer, arrived) => {
          arrived();
          serveTcp(socket, peer, lineBytes, accept);
        }),
      );
    }
    if (ws) {
      const http = new WsFront(lineBytes, accept);
      this.#listeners.ws = await listen('rigs over WebSocket', ws, (raw) =>
        this.#front.open(raw, (socket, peer, arrived) => http.handle(socket, peer, arrived)),
      );
    }
  }

  offerJob(job: Job): void {
    this.#send(job);
    for (let group = 1; group < this.#parts.leases.groups; group++) {
      const variant = this.#options.jobs?.rollJob(group, job.clean);
      if (variant) this.#send(variant);
    }
  }

  async close(): Promise<void> {
    this.#listeners.tcp?.close();
    this.#listeners.ws?.close();
    for (const session of this.#sessions) session.askToReconnect(this.#reconnectDelaySeconds());
    await this.#pendingAnswered();
    clearInterval(this.#timer);
    for (const session of this.#sessions) session.end('the bridge stops');
    await this.#front.close();
  }

  #makeParts(): SessionParts {
    const { options, limits } = { options: this.#options, limits: this.#limits };
    const { banMs, bannedRigsPerAddress, remembered } = limits;
    const leases = new NonceLeases(options.nonceSpace, options.jobs?.groups ?? 1);
    return {
      judge: options.judge,
      leases,
      parking: new Parking(leases.quarantineMs, remembered),
      rigBook: new RigBook(remembered),
      bans: new Bans({ banMs, rigsPerAddress: bannedRigsPerAddress, max: remembered }),
      detective: new NonceDetective(),
      clock: options.clock,
      events: options.events,
      log: options.log,
      limits,
      accounts: options.accounts ?? { mode: 'open' },
      shareDifficulty: options.shareDifficulty,
      vardiff: { ...VARDIFF_SETTINGS, ...options.vardiff },
      agentFloors: options.agentFloors ?? {},
      reconnectAgents: options.reconnectAgents ?? RECONNECT_AGENTS,
      newestJob: (group) => this.#newestOf(group),
      newToken: () => this.#random(TOKEN_BYTES).toString('hex'),
      byToken: new Map(),
    };
  }

  #nowMs(): number {
    return this.#options.clock.nowMs();
  }

  #open(connection: Connection): Session {
    const session: Session = new Session(this.#parts, connection, this.#options.nextSessionId(), () => {
      this.#sessions.delete(session);
    });
    this.#sessions.add(session);
    return session;
  }

  #send(job: Job): void {
    const jobLine = this.#encode(job);
    for (const session of this.#sessions) if (session.lease?.group === job.group) session.offerJob(jobLine);
  }

  #encode(job: Job): JobLine {
    const { id: jobId, header, clean, group } = job;
    const jobLine = { job, line: new SharedLine(encodeNotice({ kind: 'notify', jobId, header, clean })) };
    this.#newest[group] = jobLine;
    return jobLine;
  }

  /** The first session of a group finds no job of it yet. */
  #newestOf(group: number): JobLine | undefined {
    const known = this.#newest[group];
    if (known || group === 0) return known;
    const job = this.#options.jobs?.rollJob(group, true);
    return job && this.#encode(job);
  }

  #tick(): void {
    const nowMs = this.#nowMs();
    this.#ticks++;
    if (this.#ticks % 2 === 0) {
      this.#front.tick(nowMs);
      this.#parts.parking.expire(nowMs);
      for (const session of this.#sessions) session.tick(nowMs);
    }
    if (this.#ticks % ORDER_EVERY_TICKS === 0) this.#sessions = new Set(fastestFirst(this.#sessions));
    if (this.#options.jobs) this.#roll(this.#options.jobs, nowMs);
  }

  /** Who must have a fresh job gets one, and with it who may well have one, so that one variant serves many. */
  #roll(jobs: JobSource, nowMs: number): void {
    for (let group = 0; group < this.#parts.leases.groups; group++) {
      const waiting: Session[] = [];
      let must = false;
      for (const session of this.#sessions) {
        const due = session.lease?.group === group ? session.jobDue(nowMs) : 'no';
        if (due !== 'no') waiting.push(session);
        if (due === 'must') must = true;
      }
      const job = must ? jobs.rollJob(group, false) : undefined;
      const jobLine = job && this.#encode(job);
      if (jobLine) for (const session of waiting) session.offerJob(jobLine);
    }
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
