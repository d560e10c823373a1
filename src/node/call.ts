/** One call of a node's interface: asked by a policy, repeated where that is safe, and read by a model. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { adviceFor, adviceForStatus } from './advice.js';
import { backoffMs } from './backoff.js';
import { NodeError, type NodeErrorDetails } from './errors.js';
import { type HttpAnswer, type HttpRequest, type NodeHttp, type StreamAnswer, whereOf } from './http.js';
import { parseExactJson } from './json.js';
import { notFoundModel } from './models.js';
import { ForgedError } from './verify.js';

/** How long and how often a call is tried. Given per call; what is absent comes from `connect`. */
export interface CallPolicy {
  /** For each try: connect, waiting and body together. Default 5,000. */
  readonly timeoutMs?: number;
  /**
   * Tries in all, with a growing pause between them. Default 1. Only calls that change nothing are repeated, and only
   * after a lost connection, a timeout, or a status that says "not now".
   */
  readonly attempts?: number;
  /** Largest body that is read. */
  readonly maxBytes?: number;
  /** Ends the call, pauses included. */
  readonly signal?: AbortSignal;
}

export interface CallSettings {
  readonly policy: CallPolicy;
  /** In [0, 1); spreads the pauses between tries. */
  readonly random: () => number;
  /** Pauses between tries. Rejects when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Told of each answer that is refused as forged, before the call fails with it. */
  readonly onForged?: ((error: NodeError) => void) | undefined;
}

export const DEFAULT_SETTINGS: CallSettings = {
  policy: {},
  random: Math.random,
  pause: async (ms, signal) => void (await sleep(ms, undefined, signal ? { signal } : {})),
};

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** As the interface names it: `/chain/{chain}/hash`. */
  readonly endpoint: string;
  /** The same with its values; by default the endpoint as it is. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string | number | bigint | undefined>>;
  readonly accept?: string;
  /** Whatever keeps answers on the way is told to ask the node itself. */
  readonly isFresh?: boolean;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly bytes?: Uint8Array;
  /** It changes nothing, or nothing more when repeated. By default true of GET. */
  readonly repeatable?: boolean;
  /** Addresses to ask in turn while the answer is 404; by default the base URL. */
  readonly prefixes?: readonly string[];
  readonly maxBytes?: number;
}

export const DEFAULT_TIMEOUT_MS = 5_000;
const SHOWN_BODY = 200;
const SHOWN_ISSUES = 3;
const NOT_NOW = [408, 425, 429, 500, 502, 503, 504];

export class Caller {
  readonly baseUrl: string;
  readonly #http: NodeHttp;
  readonly settings: CallSettings;

  constructor(baseUrl: string, http: NodeHttp, settings: CallSettings) {
    this.baseUrl = baseUrl;
    this.#http = http;
    this.settings = settings;
  }

  /** Scheme, host and port. */
  get root(): string {
    return new URL(this.baseUrl).origin;
  }

  /** The answer of a call that succeeded (2xx). Throws {@link NodeError}. */
  async answer(call: Call, policy: CallPolicy = {}): Promise<HttpAnswer> {
    const chosen = { ...this.settings.policy, ...policy };
    const attempts = (call.repeatable ?? call.method === 'GET') ? (chosen.attempts ?? 1) : 1;
    for (let failures = 1; ; failures++) {
      try {
        return await this.#once(call, chosen);
      } catch (error) {
        if (failures >= attempts || !mayPass(error)) throw error;
      }
      await this.#pause(call, failures, chosen.signal);
    }
  }

  /** The answer's JSON as the model reads it. */
  async json<T extends z.ZodType>(call: Call, model: T, policy?: CallPolicy): Promise<z.output<T>> {
    const answer = await this.answer(call, policy);
    return this.read(call, model, answer.body.toString('utf8'));
  }

  async text(call: Call, policy?: CallPolicy): Promise<string> {
    return (await this.answer(call, policy)).body.toString('utf8').trim();
  }

  /** Reads JSON text by a model. Throws {@link NodeError} `format`. */
  read<T extends z.ZodType>(call: Call, model: T, text: string): z.output<T> {
    const value = this.#parse(call, text);
    const read = model.safeParse(value);
    if (read.success) return read.data;
    throw this.formatError(call, issuesIn(read.error), read.error);
  }

  /** An event stream. Throws {@link NodeError} when the answer is none. */
  async stream(call: Call, signal: AbortSignal): Promise<StreamAnswer> {
    const asked = this.#request(call, this.baseUrl);
    const answer = await this.#http.open(asked, signal);
    if (answer.status !== 200) throw statusError(asked, { ...answer, body: await startOf(answer) });
    const type = String(answer.headers['content-type'] ?? '');
    if (type.startsWith('text/event-stream')) return answer;
    answer.body.destroy();
    throw this.formatError(call, `its type is ${JSON.stringify(type.slice(0, 80))}, not text/event-stream`);
  }

  formatError(call: Call, what: string, cause?: unknown): NodeError {
    const where = this.where(call);
    const details = { ...where, advice: adviceFor('format', '') };
    return new NodeError('format', `${where.url} gave what cannot be read: ${what}`, details, cause);
  }

  /** Runs checks of an answer; what they throw as {@link ForgedError} becomes a {@link NodeError} that is told of. */
  async checked(call: Call, check: () => void | Promise<void>): Promise<void> {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof ForgedError)) throw error;
      const where = this.where(call);
      const details = { ...where, advice: adviceFor('forged', '') };
      const forged = new NodeError(
        'forged',
        `${where.url} gave a wrong answer: ${error.message}`,
        details,
        error,
      );
      this.settings.onForged?.(forged);
      throw forged;
    }
  }

  /** Where a call goes, for the details of an error. */
  where(call: Call): ReturnType<typeof whereOf> {
    return whereOf(this.#request(call, this.baseUrl));
  }

  async #once(call: Call, policy: CallPolicy): Promise<HttpAnswer> {
    const prefixes = call.prefixes ?? [this.baseUrl];
    for (const [index, prefix] of prefixes.entries()) {
      const asked = this.#request(call, prefix, policy);
      const answer = await this.#http.ask(asked);
      if (answer.status >= 200 && answer.status < 300) return answer;
      if (answer.status !== 404 || index === prefixes.length - 1) throw statusError(asked, answer);
    }
    throw new RangeError(`${call.endpoint} has no address to ask`);
  }

  #request(call: Call, prefix: string, policy: CallPolicy = {}): HttpRequest {
    const { method, endpoint, path = endpoint, accept } = call;
    const maxBytes = policy.maxBytes ?? call.maxBytes;
    const type = call.json !== undefined ? 'application/json' : 'application/octet-stream';
    const body = call.json !== undefined ? JSON.stringify(call.json) : call.bytes;
    return {
      method,
      url: prefix + path + queryText(call.query),
      endpoint: `${method} ${endpoint}`,
      headers: {
        ...(accept === undefined ? {} : { accept }),
        ...(call.isFresh ? { 'cache-control': 'no-cache' } : {}),
        ...(body === undefined ? {} : { 'content-type': type }),
      },
      timeoutMs: policy.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      signal: policy.signal,
      ...(body === undefined ? {} : { body }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
    };
  }

  #parse(call: Call, text: string): unknown {
    try {
      return parseExactJson(text);
    } catch (error) {
      throw this.formatError(call, `it is no JSON: ${JSON.stringify(text.slice(0, SHOWN_BODY))}`, error);
    }
  }

  async #pause(call: Call, failures: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.settings.pause(backoffMs(failures, this.settings.random()), signal);
    } catch (error) {
      const where = this.where(call);
      const message = `the request to ${where.url} was ended by its caller`;
      throw new NodeError('aborted', message, { ...where, advice: adviceFor('aborted', '') }, error);
    }
  }
}

/** A failure that may be over at the next try. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof NodeError)) return false;
  return (
    error.code === 'unreachable' ||
    error.code === 'timeout' ||
    (error.code === 'status' && NOT_NOW.includes(error.details.status ?? 0))
  );
}

export function statusError(
  asked: Pick<HttpRequest, 'url' | 'method' | 'endpoint'>,
  answer: HttpAnswer,
  more: Pick<NodeErrorDetails, 'posts'> = {},
): NodeError {
  const { status, body } = answer;
  const text = body.subarray(0, SHOWN_BODY).toString('utf8').trim();
  const where = whereOf(asked);
  const details = { ...where, ...more, status, text, advice: adviceForStatus(where.endpoint, status) };
  const missing = status === 404 ? notFoundIn(body) : undefined;
  if (missing) {
    const message = `${asked.url} does not have ${missing.key || 'anything that matches'}: ${missing.reason}`;
    return new NodeError('not-found', message, { ...details, key: missing.key });
  }
  const said = text === '' ? 'no text' : JSON.stringify(text);
  return new NodeError('status', `${asked.url} answered ${status} with ${said}`, details);
}

function notFoundIn(body: Buffer): z.output<typeof notFoundModel> | undefined {
  try {
    return notFoundModel.safeParse(JSON.parse(body.toString('utf8'))).data;
  } catch {
    return undefined; // other text: a 404 that names no key
  }
}

/** Enough of a refusal to show. */
async function startOf({ body }: StreamAnswer): Promise<Buffer> {
  for await (const chunk of body as AsyncIterable<Buffer>) return chunk;
  return Buffer.alloc(0);
}

function issuesIn(error: z.ZodError): string {
  const issues = error.issues.slice(0, SHOWN_ISSUES).map(({ path, message }) => {
    return path.length === 0 ? message : `${path.join('.')}: ${message}`;
  });
  const more = error.issues.length - issues.length;
  return issues.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

function queryText(query: Call['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(String(value))}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}
