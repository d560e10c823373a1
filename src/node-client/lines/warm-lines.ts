/** Connections to a node that stand open before there is anything to ask, each for one request at a time. */
import { backoffMs } from '../backoff.js';
import type { HttpAnswer, HttpRequest, NodeHttp, Way } from '../http.js';
import { KeptSocket } from './kept-socket.js';

/** A line waits so long for its turn to be kept open: one at a time, so that the others are free for what is urgent. */
const TURN_MS = 50;
/** Between two requests that keep a connection open; the web server of real nodes closes it after 30 s and gives no hint. */
const KEEP_OPEN_MS = 10_000;
const LEAST_KEEP_OPEN_MS = 250;
const KEEP_OPEN_TIMEOUT_MS = 5_000;
const KEEP_OPEN_MAX_BYTES = 64 * 1024;

export interface WarmLinesParts {
  readonly http: NodeHttp;
  /** What is asked for to keep a connection open: cheap, and on the node's own port. */
  readonly keepOpenUrl: string;
  /** In [0, 1); spreads the requests that keep connections open. */
  readonly random: () => number;
}

export class WarmLines {
  readonly #parts: WarmLinesParts;
  readonly #count: number;
  #lines: readonly WarmLine[] = [];
  #closed = false;

  constructor(parts: WarmLinesParts, count: number) {
    this.#parts = parts;
    this.#count = count;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#lines.filter((line) => line.isOpen).length;
  }

  /** One that is open and asked nothing now. */
  get free(): WarmLine | undefined {
    return this.#lines.find((line) => line.isOpen && line.isFree);
  }

  /** Opens the connections; again, or where connections are not ours to make, it does nothing. */
  start(): void {
    if (this.#closed || this.#lines.length > 0 || !this.#parts.http.isOwn) return;
    const isTaken = (): boolean => this.#lines.some((line) => line.isBeingKept);
    this.#lines = Array.from({ length: this.#count }, () => new WarmLine(this.#parts, isTaken));
  }

  /** New connections: those that stand may be dead. What is asked over one may still be answered there. */
  renew(): void {
    const former = this.#lines;
    this.#lines = [];
    if (former.length > 0) this.start();
    for (const line of former) line.closeWhenFree();
  }

  close(): void {
    this.#closed = true;
    for (const line of this.#lines) line.close();
  }
}

export class WarmLine {
  readonly #parts: WarmLinesParts;
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
  constructor(parts: WarmLinesParts, isTurnTaken: () => boolean) {
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

  ask(asked: HttpRequest): Promise<HttpAnswer> {
    return this.use((via) => this.#parts.http.ask(asked, via));
  }

  /** Whatever is asked over it has it alone. */
  async use(ask: (via: Way) => Promise<HttpAnswer>): Promise<HttpAnswer> {
    clearTimeout(this.#timer);
    this.#underWay++;
    try {
      const answer = await ask(this.#socket);
      this.#answered(answer);
      return answer;
    } finally {
      this.#underWay--;
      if (this.#endsWhenFree) this.close();
      this.#keepOpenAfter(this.#pauseMs());
    }
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
    await this.ask(asked).catch(() => undefined);
    this.isBeingKept = false;
  }
}
