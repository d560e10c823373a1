/** Requests to one node: bounded in time and size, every failure a {@link NodeError}. */
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import { NodeError, type NodeErrorCode, rootCode, rootMessage } from '../../chain/errors.js';
import { adviceFor } from './advice.js';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** Connect, waiting and body together. */
  readonly timeoutMs: number;
  /** Largest body that is read. */
  readonly maxBytes?: number;
  /** As the interface names it; the method and the URL's path where it is absent. */
  readonly endpoint?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

export interface StreamAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  /** Of buffers. */
  readonly body: Readable;
}

/** Whom to trust at an `https://` node; by default the authorities that Node.js knows. */
export interface TlsOptions {
  /** Certificates (PEM) of the only authorities to trust: a self-signed certificate is its own. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[];
  /** Trust any certificate. The peer ports of real nodes have self-signed ones. */
  readonly insecure?: boolean;
}

export interface HttpOptions {
  readonly tls?: TlsOptions;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Carries all requests instead of connections of our own, to a proxy for example. It stays the caller's to close. */
  readonly dispatcher?: Dispatcher;
}

/** A request as it goes to a connection. */
export interface RawRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: HttpRequest['method'];
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | null;
  readonly signal: AbortSignal;
}

export interface RawAnswer {
  readonly statusCode: number;
  readonly headers: HttpAnswer['headers'];
  /** Of buffers. */
  readonly body: Readable;
}

/** What carries a request to its node; by a callback, because each promise on the way of a work costs rigs a turn. */
export interface Way {
  request(asked: RawRequest, heard: (error: Error | null, answer?: RawAnswer) => void): void;
}

interface AskOptions {
  /** Ends the request early. */
  readonly signal?: AbortSignal | undefined;
  /** What to try first instead of the pool. */
  readonly via?: Way | undefined;
  /** Told of the answer in the turn in which its last byte came, some turns before the promise is kept. What it throws is thrown. */
  readonly heard?: ((answer: HttpAnswer) => void) | undefined;
}

const MAX_BYTES = 4 * 1024 * 1024;
/** What a lost packet made wait is tried anew sooner than the operating system would: it doubles its pauses from 1 s on. */
const CONNECT_TIMEOUT_MS = 1_500;
/** For a server that gives no hint: below the 30 s after which the web server of real nodes closes a connection. */
const KEEP_ALIVE_MS = 20_000;

export class NodeHttp {
  #agent: Dispatcher;
  /** Nobody else uses it. */
  readonly isOwn: boolean;
  #isClosed = false;
  /** Pools that are used no more, until what is under way on them has ended. */
  readonly #former = new Set<Dispatcher>();
  /** Of all that is under way: pools that are being closed end nothing by themselves. */
  readonly #limits = new Set<Limit>();
  readonly #headers: Readonly<Record<string, string>>;
  /** As they go to a connection: what is asked again and again is written once, since rigs wait for it. */
  readonly #written = new WeakMap<object, Omit<RawRequest, 'signal'>>();
  /** What `tls.connect` takes to make a connection like those of this pool. */
  readonly tls: object;

  constructor({ tls, headers = {}, dispatcher }: HttpOptions = {}) {
    this.tls = tlsConnectOptions(tls);
    this.isOwn = dispatcher === undefined;
    this.#agent = dispatcher ?? poolOf(this.tls);
    this.#headers = headers;
  }

  /**
   * The whole answer, whatever its status. Throws {@link NodeError} `unreachable`, `tls`, `timeout`, `aborted` or
   * `format` (too large).
   *
   * A GET whose connection could not be had or broke is asked once more over a new one, within the same time: a reset says
   * little about the node, and nothing happened twice.
   */
  ask(asked: HttpRequest, { signal, heard, via = this.#agent }: AskOptions = {}): Promise<HttpAnswer> {
    const [agent, askedAtMs] = [this.#agent, performance.now()];
    return this.askOver(via, asked, { signal, heard }).catch((error: unknown) => {
      const leftMs = asked.timeoutMs - (performance.now() - askedAtMs);
      const isBroken = error instanceof NodeError && error.code === 'unreachable';
      if (asked.method !== 'GET' || !isBroken || leftMs <= 0 || this.#isClosed) throw error;
      if (agent === this.#agent) this.renewPool();
      // Where time was short for the second try, the first says more.
      return this.askOver(this.#agent, asked, { signal, heard, timeoutMs: leftMs }).catch(
        (again: NodeError) => {
          throw again.code === 'timeout' ? error : again;
        },
      );
    });
  }

  /** Over a connection of its own, whatever has become of the others. */
  async askFresh(asked: HttpRequest, signal?: AbortSignal): Promise<HttpAnswer> {
    if (!this.isOwn) return await this.askOver(this.#agent, asked, { signal });
    const agent = poolOf(this.tls);
    this.#former.add(agent);
    try {
      return await this.askOver(agent, asked, { signal });
    } finally {
      this.#former.delete(agent);
      await agent.destroy();
    }
  }

  /** Once, and over this alone. */
  askOver(
    via: Way,
    asked: HttpRequest,
    { signal, heard, timeoutMs = asked.timeoutMs }: LimitOptions & Pick<AskOptions, 'heard'> = {},
  ): Promise<HttpAnswer> {
    const limit = this.#limited({ signal, timeoutMs });
    const raw = this.#raw(asked, limit.signal);
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        this.#over(limit);
        if (limit.endedBy() === 'time' && via === this.#agent) this.renewPool();
        reject(asNodeError(error, asked, limit.endedBy()));
      };
      const whole = (answer: HttpAnswer): void => {
        this.#over(limit);
        try {
          heard?.(answer);
          resolve(answer);
        } catch (error) {
          reject(error);
        }
      };
      via.request(raw, (error, answer) => {
        if (error || !answer) fail(error);
        else readBounded(answer, asked, whole, fail);
      });
    });
  }

  #limited(options: LimitOptions): Limit {
    const limit = limitOf(options);
    this.#limits.add(limit);
    if (this.#isClosed) limit.end('close');
    return limit;
  }

  #over(limit: Limit): void {
    limit.clear();
    this.#limits.delete(limit);
  }

  /** An answer whose body goes on for as long as the node likes; `signal` ends it. */
  async open(asked: Omit<HttpRequest, 'timeoutMs'>, signal: AbortSignal): Promise<StreamAnswer> {
    const limit = this.#limited({ signal });
    try {
      const endless = { headersTimeout: 0, bodyTimeout: 0 };
      const raw = this.#raw(asked, limit.signal);
      const { statusCode, headers, body } = await this.#agent.request({ ...raw, ...endless });
      body.once('close', () => this.#over(limit));
      return { status: statusCode, headers, body: inflated(body, headers, asked) };
    } catch (error) {
      this.#over(limit);
      throw asNodeError(error, asked, limit.endedBy());
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const limit of this.#limits) limit.end('close');
    const own = this.isOwn ? [this.#agent, ...this.#former] : this.#former;
    await Promise.all([...own].map((agent) => agent.destroy()));
  }

  /** Where one request was not answered, idle connections may be as dead as that one's: later requests go over new ones. */
  renewPool(): void {
    if (!this.isOwn) return;
    const former = this.#agent;
    this.#agent = poolOf(this.tls);
    this.#former.add(former);
    const forget = (): void => void this.#former.delete(former);
    former.close().then(forget, forget);
  }

  #raw(asked: Omit<HttpRequest, 'timeoutMs'>, signal: AbortSignal): RawRequest {
    const known = this.#written.get(asked);
    if (known) return { ...known, signal };
    const { url, method, body = null } = asked;
    const { origin, pathname, search } = new URL(url);
    const headers = { ...this.#headers, ...asked.headers };
    const written = { origin, path: pathname + search, method, headers, body };
    this.#written.set(asked, written);
    return { ...written, signal };
  }
}

function poolOf(tls: object): Agent {
  return new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS, ...tls }, keepAliveTimeout: KEEP_ALIVE_MS });
}

function tlsConnectOptions(tls: TlsOptions = {}): object {
  const ca = typeof tls.ca === 'string' || tls.ca === undefined ? tls.ca : [tls.ca].flat().map(asPem);
  return { ...(ca === undefined ? {} : { ca }), ...(tls.insecure ? { rejectUnauthorized: false } : {}) };
}

function asPem(certificate: string | Uint8Array): string | Buffer {
  return typeof certificate === 'string' ? certificate : Buffer.from(certificate);
}

type EndedBy = 'caller' | 'time' | 'close';

interface Limit {
  readonly signal: AbortSignal;
  endedBy(): EndedBy | undefined;
  end(by: EndedBy): void;
  clear(): void;
}

interface LimitOptions {
  readonly signal?: AbortSignal | undefined;
  /** None: it goes on for as long as it likes. */
  readonly timeoutMs?: number | undefined;
}

/** The caller's signal, the time and the end of all as one. By hand, because `AbortSignal.any` on Node.js 20 never lets go of a lasting one. */
function limitOf({ timeoutMs, signal }: LimitOptions): Limit {
  const controller = new AbortController();
  let ended: EndedBy | undefined;
  const end = (by: EndedBy): void => {
    ended ??= by;
    controller.abort();
  };
  const endByCaller = (): void => end('caller');
  const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs, 'time');
  if (signal?.aborted) endByCaller();
  signal?.addEventListener('abort', endByCaller, { once: true });
  return {
    signal: controller.signal,
    endedBy: () => ended,
    end,
    clear: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', endByCaller);
    },
  };
}

/** What was packed on the way, as it was before; bounded by whoever reads it. Throws for another packing than was asked for. */
function inflated(body: Readable, headers: HttpAnswer['headers'], asked: Asked): Readable {
  const packing = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  if (packing === 'identity') return body;
  if (packing !== 'gzip' && packing !== 'x-gzip') {
    // It may have come whole already: then its end is an error that nobody else hears.
    body.on('error', () => {}).destroy();
    const message = `${asked.url} answered packed as ${packing.slice(0, 40)}, which was not asked for`;
    throw new NodeError('format', message, { ...whereOf(asked), advice: adviceFor('format', '') });
  }
  // A failure of either ends the other, and so the reading.
  return pipeline(body, createGunzip(), () => undefined);
}

/**
 * By its events: an iterator would take several turns more, and rigs wait for a work. Where it was told how long the body is, the
 * answer is whole with the last byte, and not when its end is told of.
 */
function readBounded(
  { statusCode: status, headers, body: raw }: RawAnswer,
  asked: HttpRequest,
  whole: (answer: HttpAnswer) => void,
  failed: (error: unknown) => void,
): void {
  const maxBytes = asked.maxBytes ?? MAX_BYTES;
  const chunks: Buffer[] = [];
  let [length, isOver] = [0, false];
  const once = (end: () => void): void => {
    if (isOver) return;
    isOver = true;
    end();
  };
  const fail = (error: unknown): void => once(() => failed(error));
  const done = (): void => once(() => whole({ status, headers, body: Buffer.concat(chunks) }));
  let body: Readable;
  try {
    body = inflated(raw, headers, asked);
  } catch (error) {
    fail(error);
    return;
  }
  const bytes = body === raw ? Number(headers['content-length']) : Number.NaN;
  body.on('data', (chunk: Buffer) => {
    length += chunk.length;
    chunks.push(chunk);
    if (length > maxBytes) body.destroy(tooLarge(asked, maxBytes));
    else if (length === bytes) done();
  });
  body.once('end', done);
  body.on('error', fail);
  body.once('close', () => fail(new Error('the answer broke off')));
}

/** Where a request goes. */
type Asked = Pick<HttpRequest, 'url' | 'method' | 'endpoint'>;

function tooLarge(asked: HttpRequest, maxBytes: number): NodeError {
  const message = `${asked.url} answered with more than ${maxBytes} bytes`;
  const advice = 'ask for less at a time, or allow more with maxBytes';
  return new NodeError('format', message, { ...whereOf(asked), advice });
}

/** Where a request went, for the details of an error. */
export function whereOf(asked: Asked): {
  url: string;
  endpoint: string;
  node: string;
} {
  const { origin, pathname } = new URL(asked.url);
  return { url: asked.url, endpoint: asked.endpoint ?? `${asked.method} ${pathname}`, node: origin };
}

function asNodeError(
  error: unknown,
  asked: Omit<HttpRequest, 'timeoutMs'> & { readonly timeoutMs?: number },
  endedBy: EndedBy | undefined,
): NodeError {
  if (error instanceof NodeError) return error;
  const where = whereOf(asked);
  const fail = (code: 'timeout' | 'aborted' | 'tls' | 'unreachable', message: string): NodeError =>
    new NodeError(code, message, { ...where, advice: adviceFor(code, rootCode(error)) }, error);
  if (endedBy === 'time') return fail('timeout', `${asked.url} did not answer within ${asked.timeoutMs} ms`);
  if (endedBy === 'caller') return fail('aborted', `the request to ${asked.url} was ended by its caller`);
  if (endedBy === 'close') return fail('unreachable', `${asked.url} is asked no more: the client is closed`);
  const code: NodeErrorCode = isTlsFault(rootCode(error), where.node) ? 'tls' : 'unreachable';
  return fail(code, `${asked.url} cannot be reached: ${rootMessage(error)}`);
}

function isTlsFault(code: string, node: string): boolean {
  return node.startsWith('https:') && /^(ERR_SSL_|ERR_TLS_|EPROTO$)|CERT|SIGNATURE/.test(code);
}
