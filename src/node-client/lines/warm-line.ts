/**
 * A connection to a node that stands open before there is anything to ask, for one request at a time, written to at once.
 *
 * undici lets a round of the event loop pass before it writes to an idle connection, to see whether the server has closed
 * it. With thousands of sessions there is much to do in a round: a solution would wait for all of it. So Node's own
 * client is used, and a request of it is made in advance: it has the connection, and lacks nothing but what is asked.
 */
import { Agent, type ClientRequest, request } from 'node:http';
import { request as requestSecurely, Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import { backoffMs } from '../asking/backoff.js';
import type { HttpRequest, NodeHttp, RawAnswer, RawRequest, Way } from '../asking/http.js';

/** A line waits so long for its turn to be kept open: one at a time, so that the others are free for what is urgent. */
const TURN_MS = 50;
/** Between two requests that keep a connection open; the web server of real nodes closes it after 30 s and gives no hint. */
const KEEP_OPEN_MS = 10_000;
const LEAST_KEEP_OPEN_MS = 250;
const KEEP_OPEN_TIMEOUT_MS = 5_000;
const KEEP_OPEN_MAX_BYTES = 64 * 1024;
/** How long a connection is silent before the operating system looks whether it still stands. */
const TCP_KEEP_ALIVE_MS = 5_000;

export interface WarmLineParts {
  readonly http: NodeHttp;
  /** What is asked for to keep a connection open: cheap, and on the node's own port. */
  readonly keepOpenUrl: string;
  /** In [0, 1); spreads the requests that keep connections open. */
  readonly random: () => number;
}

export class WarmLine implements Way {
  readonly #parts: WarmLineParts;
  readonly #socket: KeptSocket;
  readonly #isTurnTaken: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #underWay = 0;
  /** Answers on the connection that is open now. */
  #answers = 0;
  /** Connections in a row that did not last. */
  #failures = 0;
  #keepOpenMs = KEEP_OPEN_MS;
  #closed = false;
  #endsWhenFree = false;
  isOpen = false;
  /** It is open, and carries nothing but a request that keeps it so. */
  isBeingKept = false;

  /** @param isTurnTaken another one is being kept open just now. */
  constructor(parts: WarmLineParts, isTurnTaken: () => boolean) {
    this.#parts = parts;
    this.#isTurnTaken = isTurnTaken;
    this.#socket = new KeptSocket(new URL(parts.keepOpenUrl).origin, parts.http.tls, {
      opened: () => this.#opened(),
      lost: () => this.#lost(),
    });
    this.#keepOpenAfter(0);
  }

  get isFree(): boolean {
    return this.#underWay === 0;
  }

  /** Whatever is asked over it has it alone, until its answer is read. */
  request(asked: RawRequest, heard: Heard): void {
    clearTimeout(this.#timer);
    this.#underWay++;
    this.#socket.request(asked, (error, answer) => {
      heard(error, answer);
      if (answer) this.#answered(answer.headers);
      if (answer) answer.body.once('close', () => this.#over());
      else this.#over();
    });
  }

  closeWhenFree(): void {
    this.#endsWhenFree = true;
    if (this.isFree) this.close();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket.close();
  }

  #opened(): void {
    this.isOpen = true;
    this.#answers = 0;
  }

  /** A connection that served only once says that the server closes each: no reason to hurry. */
  #lost(): void {
    this.isOpen = false;
    this.#failures = this.#answers > 1 ? 1 : this.#failures + 1;
    this.#answers = 0;
    if (this.isFree) this.#keepOpenAfter(this.#pauseMs());
  }

  #over(): void {
    this.#underWay--;
    if (this.#endsWhenFree) this.close();
    this.#keepOpenAfter(this.#pauseMs());
  }

  #answered(headers: RawAnswer['headers']): void {
    if (++this.#answers > 1) this.#failures = 0;
    const hint = /timeout=(\d+)/.exec(String(headers['keep-alive'] ?? ''))?.[1];
    const wanted = hint === undefined ? KEEP_OPEN_MS : Number(hint) * 500;
    this.#keepOpenMs = Math.min(KEEP_OPEN_MS, Math.max(LEAST_KEEP_OPEN_MS, wanted));
  }

  #pauseMs(): number {
    const random = this.#parts.random();
    if (!this.isOpen) return backoffMs(Math.max(1, this.#failures), random);
    return this.#keepOpenMs * (0.75 + 0.25 * random);
  }

  #keepOpenAfter(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#keepOpen(), ms);
  }

  /** Any answer will do. What keeps one from coming was told by the client's events, and makes the pause grow. */
  async #keepOpen(): Promise<void> {
    if (this.isOpen && this.#isTurnTaken()) {
      this.#keepOpenAfter(TURN_MS);
      return;
    }
    const asked: HttpRequest = {
      method: 'GET',
      url: this.#parts.keepOpenUrl,
      timeoutMs: KEEP_OPEN_TIMEOUT_MS,
      maxBytes: KEEP_OPEN_MAX_BYTES,
    };
    this.isBeingKept = this.isOpen;
    await this.#parts.http.askOver(this, asked).catch(() => undefined);
    this.isBeingKept = false;
  }
}

interface KeptSocketEvents {
  /** The connection stands, TLS included. */
  opened(): void;
  /** It has ended, or could not be had. */
  lost(): void;
}

type Heard = Parameters<Way['request']>[1];

/** One HTTP connection that is kept. */
export class KeptSocket implements Way {
  readonly #origin: URL;
  readonly #agent: Agent;
  readonly #isSecure: boolean;
  readonly #events: KeptSocketEvents;
  #socket: Socket | undefined;
  /** Has the connection to itself, and nothing of it was written. */
  #prepared: ClientRequest | undefined;
  /** What it has: those of the request before. */
  #headers: RawRequest['headers'] = {};

  /** @param tls what `tls.connect` takes. Nothing is opened before the first request. */
  constructor(origin: string, tls: object, events: KeptSocketEvents) {
    this.#origin = new URL(origin);
    this.#isSecure = this.#origin.protocol === 'https:';
    const one = { keepAlive: true, maxSockets: 1 };
    this.#agent = this.#isSecure ? new SecureAgent({ ...one, ...tls }) : new Agent(one);
    // Node's own would give the connection up a second before the time that the server hints at, or at once.
    this.#agent.keepSocketAlive = (socket) => {
      (socket as Socket).setKeepAlive(true, TCP_KEEP_ALIVE_MS);
      return true;
    };
    this.#events = events;
  }

  /** To the origin of this connection, whatever the request names. `heard` is called once. */
  request({ path, method, headers, body, signal }: RawRequest, heard: Heard): void {
    if (signal.aborted) {
      heard(signal.reason as Error);
      return;
    }
    const asked = this.#prepared ?? this.#create();
    this.#prepared = undefined;
    let isHeard = false;
    const hear: Heard = (error, answer) => {
      if (!isHeard) heard(error, answer);
      isHeard = true;
    };
    asked.on('response', (answer) =>
      hear(null, { statusCode: answer.statusCode ?? 0, headers: answer.headers, body: answer }),
    );
    asked.on('error', hear);
    // Not before the answer was used: rigs may wait for it.
    asked.on('close', () => setImmediate(() => this.#prepare()));
    const abort = (): void => {
      asked.destroy();
      // Where it has no connection yet, that alone would say nothing.
      hear(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    asked.method = method;
    asked.path = path;
    this.#setHeaders(asked, headers);
    if (body !== null) asked.setHeader('content-length', Buffer.byteLength(body));
    asked.end(body ?? undefined);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** The same question as before has them already. */
  #setHeaders(asked: ClientRequest, headers: RawRequest['headers']): void {
    if (headers === this.#headers) return;
    for (const name of Object.keys(this.#headers)) asked.removeHeader(name);
    for (const [name, value] of Object.entries(headers)) asked.setHeader(name, value);
    this.#headers = headers;
  }

  /** Not where the server has closed the connection after its answer: whether to open another is for its user to say. */
  #prepare(): void {
    if (this.#prepared || !this.#socket?.writable) return;
    const prepared = this.#create();
    this.#prepared = prepared;
    prepared.on('error', () => this.#lose(prepared.socket));
    // An answer to nothing, as some servers give before they close an idle connection.
    prepared.on('response', () => this.#prepared === prepared && prepared.destroy());
  }

  #create(): ClientRequest {
    const ask = this.#isSecure ? requestSecurely : request;
    const created = ask(this.#origin, { agent: this.#agent, method: 'POST', headers: this.#headers });
    created.on('socket', (socket) => this.#use(socket));
    return created;
  }

  #use(socket: Socket): void {
    if (socket === this.#socket) return;
    this.#socket = socket;
    socket.once(this.#isSecure ? 'secureConnect' : 'connect', () => this.#events.opened());
    socket.once('close', () => this.#lose(socket));
  }

  #lose(socket: Socket | null): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    this.#prepared = undefined;
    this.#events.lost();
  }
}
