/** The stratum server: sessions over its transports, and the jobs that all of them get. */
import type { Socket } from 'node:net';
import type { BridgeEvents } from '../bridge/events.js';
import type { Clock, JobSink, Judge } from '../bridge/ports.js';
import type { Job } from '../core/job.js';
import type { Log } from '../core/log.js';
import type { NonceSpace } from '../core/nonce.js';
import { VARDIFF_SETTINGS, type VardiffSettings } from '../core/vardiff.js';
import { type Connection, type ConnectionEvents, SharedLine } from './connection.js';
import { STRATUM_LIMITS, type StratumLimits } from './limits.js';
import { type ListenAddress, type Listener, listen, peerOf } from './listener.js';
import { encodeNotice } from './messages.js';
import { type JobLine, Session, type SessionParts } from './session.js';
import type { ShareDifficulty } from './share-target.js';
import { serveTcp } from './tcp.js';
import { WsFront } from './ws.js';

export interface StratumServerOptions {
  readonly tcp?: ListenAddress | undefined;
  readonly ws?: ListenAddress | undefined;
  readonly judge: Judge;
  /** Shared with everything else that mines for this bridge. */
  readonly nonceSpace: NonceSpace;
  readonly clock: Clock;
  readonly events: BridgeEvents;
  readonly log: Log;
  /** A number that no other session of this process has. */
  nextSessionId(): number;
  readonly shareDifficulty: ShareDifficulty;
  readonly vardiff?: Partial<VardiffSettings>;
  readonly limits?: Partial<StratumLimits>;
}

export interface StratumServer extends JobSink {
  /** As really bound. */
  readonly addresses: { readonly tcp?: ListenAddress; readonly ws?: ListenAddress };
  /** Open sessions, ready or not. */
  readonly sessions: number;
  /** No new connections; pending submits are answered; then every session is ended. */
  close(): Promise<void>;
}

const TICK_MS = 1000;
/** Time for pending submits to get their answer. */
const ANSWER_GRACE_MS = 5000;

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
  readonly #sessions = new Set<Session>();
  readonly #sockets = new Set<Socket>();
  readonly #listeners: { tcp?: Listener; ws?: Listener } = {};
  readonly #timer: NodeJS.Timeout;
  #newest: JobLine | undefined;

  constructor(options: StratumServerOptions) {
    this.#options = options;
    this.#limits = { ...STRATUM_LIMITS, ...options.limits };
    this.#parts = {
      ...options,
      limits: this.#limits,
      vardiff: { ...VARDIFF_SETTINGS, ...options.vardiff },
      newestJob: () => this.#newest,
      ended: (session) => this.#sessions.delete(session),
    };
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  get addresses(): StratumServer['addresses'] {
    const { tcp, ws } = this.#listeners;
    return { ...(tcp ? { tcp: tcp.address } : {}), ...(ws ? { ws: ws.address } : {}) };
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  async listen(): Promise<void> {
    const { tcp, ws } = this.#options;
    const accept = (connection: Connection): ConnectionEvents => this.#open(connection);
    const { lineBytes, handshakeTimeoutMs } = this.#limits;
    if (tcp) {
      const serve = (socket: Socket): void => serveTcp(socket, peerOf(socket), lineBytes, accept);
      this.#listeners.tcp = await listen('rigs over TCP', tcp, (socket) => this.#admit(socket, serve));
    }
    if (ws) {
      const front = new WsFront({ lineBytes, handshakeTimeoutMs, peerOf, accept });
      const serve = (socket: Socket): void => front.handle(socket);
      this.#listeners.ws = await listen('rigs over WebSocket', ws, (socket) => this.#admit(socket, serve));
    }
  }

  offerJob(job: Job): void {
    const { id: jobId, header, clean } = job;
    const line = new SharedLine(encodeNotice({ kind: 'notify', jobId, header, clean }));
    this.#newest = { job, line };
    for (const session of this.#sessions) session.offerJob(this.#newest);
  }

  async close(): Promise<void> {
    this.#listeners.tcp?.close();
    this.#listeners.ws?.close();
    await this.#pendingAnswered();
    clearInterval(this.#timer);
    for (const session of this.#sessions) session.end('the bridge stops');
    const closed = [...this.#sockets].map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    await Promise.all(closed);
  }

  #admit(socket: Socket, serve: (socket: Socket) => void): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    serve(socket);
  }

  #open(connection: Connection): Session {
    const session = new Session(this.#parts, connection, this.#options.nextSessionId());
    this.#sessions.add(session);
    return session;
  }

  #tick(): void {
    const nowMs = this.#options.clock.nowMs();
    for (const session of this.#sessions) session.tick(nowMs);
  }

  async #pendingAnswered(): Promise<void> {
    const untilMs = performance.now() + ANSWER_GRACE_MS;
    const pending = (): boolean => [...this.#sessions].some((session) => session.pendingSubmits > 0);
    while (pending() && performance.now() < untilMs) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
