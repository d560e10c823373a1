/**
 * The way of solutions to a node: connections of their own, open before a solution is found.
 *
 * A solution that waited behind another request, or for TCP and TLS to connect, could come too late. So a few
 * connections carry nothing else but a cheap request now and then, which keeps them open: a few, so that a solution
 * finds a free one also while others are being kept open or carry other chains' solutions.
 */
import { backoffMs } from './backoff.js';
import type { HttpAnswer, HttpRequest, NodeHttp } from './http.js';
import { KeptSocket } from './kept-socket.js';
import { type Posted, untilTaken } from './repeated-post.js';

/**
 * At the pace of the largest network a solution finds all of them at work less than once in a hundred times, even where an
 * answer takes most of a second. Over the pool it would wait for several rounds of the event loop.
 */
const CONNECTIONS = 4;
/** Between two requests that keep a connection open; the web server of real nodes closes it after 30 s and gives no hint. */
const KEEP_OPEN_MS = 10_000;
const LEAST_KEEP_OPEN_MS = 250;
const KEEP_OPEN_TIMEOUT_MS = 5_000;
const KEEP_OPEN_MAX_BYTES = 64 * 1024;

export interface SolutionLaneParts {
  readonly http: NodeHttp;
  /** What is asked for to keep a connection open: cheap, and on the node's own port. */
  readonly keepOpenUrl: string;
  /** In [0, 1); spreads the requests that keep connections open. */
  readonly random: () => number;
}

export class SolutionLane {
  readonly #parts: SolutionLaneParts;
  #lines: readonly KeptConnection[] = [];
  #closed = false;

  constructor(parts: SolutionLaneParts) {
    this.#parts = parts;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#lines.filter((line) => line.isOpen).length;
  }

  /** Opens the connections; again it does nothing. */
  start(): void {
    if (this.#closed || this.#lines.length > 0) return;
    this.#lines = Array.from({ length: CONNECTIONS }, () => new KeptConnection(this.#parts));
  }

  /**
   * Over a free open connection; where there is none, over the pool, which may have to connect. Without an answer it is posted
   * again over a new one: the first may have died without a word.
   */
  post(asked: HttpRequest): Promise<Posted> {
    this.start();
    const { http } = this.#parts;
    const free = this.#lines.find((line) => line.isOpen && line.isFree);
    const first = free ? free.ask(asked) : http.ask(asked);
    return untilTaken(first, () => http.askFresh(asked));
  }

  close(): void {
    this.#closed = true;
    for (const line of this.#lines) line.close();
  }
}

class KeptConnection {
  readonly #parts: SolutionLaneParts;
  readonly #socket: KeptSocket;
  #timer: NodeJS.Timeout | undefined;
  #underWay = 0;
  /** Answers on the connection that is open now. */
  #answers = 0;
  /** Connections in a row that did not last. */
  #failures = 0;
  #keepOpenMs = KEEP_OPEN_MS;
  #closed = false;
  isOpen = false;

  constructor(parts: SolutionLaneParts) {
    this.#parts = parts;
    this.#socket = new KeptSocket(new URL(parts.keepOpenUrl).origin, parts.http.tls, {
      opened: () => this.#opened(),
      lost: () => this.#lost(),
    });
    this.#keepOpenAfter(0);
  }

  get isFree(): boolean {
    return this.#underWay === 0;
  }

  async ask(asked: HttpRequest): Promise<HttpAnswer> {
    clearTimeout(this.#timer);
    this.#underWay++;
    try {
      const answer = await this.#parts.http.ask(asked, this.#socket);
      this.#answered(answer);
      return answer;
    } finally {
      this.#underWay--;
      this.#keepOpenAfter(this.#pauseMs());
    }
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

  #answered({ headers }: HttpAnswer): void {
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
    this.#timer = setTimeout(() => this.#keepOpen(), ms);
  }

  /** Any answer will do. What keeps one from coming was told by the client's events, and makes the pause grow. */
  #keepOpen(): void {
    const asked: HttpRequest = {
      method: 'GET',
      url: this.#parts.keepOpenUrl,
      timeoutMs: KEEP_OPEN_TIMEOUT_MS,
      maxBytes: KEEP_OPEN_MAX_BYTES,
    };
    this.ask(asked).catch(() => undefined);
  }
}
