/** One call of a node's interface: asked by the table of endpoints and a policy, repeated where that is safe, and read by a model. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import {
  BYTES_TYPE,
  type Encoding,
  type Endpoint,
  EVENTS_TYPE,
  JSON_TYPE,
  pathOf,
  queryOf,
  type Values,
} from '../chain/endpoints.js';
import { NodeError } from '../chain/errors.js';
import { parseExactJson } from '../chain/json.js';
import { checkBody } from '../chain/parameters.js';
import { ForgedError } from '../chain/verify.js';
import { adviceFor } from './advice.js';
import { backoffMs } from './backoff.js';
import { factsIn, type NodeFacts } from './facts.js';
import { mayPass, statusError } from './failures.js';
import { type HttpAnswer, type HttpRequest, type StreamAnswer, whereOf } from './http.js';
import type { Place, Places } from './places.js';

/** How long and how often a call is tried, and who is told. Given per call; what is absent comes from `connect`. */
export interface CallPolicy {
  /** For each try: connect, waiting and body together. Default 5,000. */
  readonly timeoutMs?: number;
  /**
   * Tries in all, with a growing pause between them, or the one that the node asks for (`Retry-After`). Default 1. Only
   * calls that change nothing are repeated, and only after a lost connection, a timeout, or a status that says "not now".
   */
  readonly attempts?: number;
  /** Largest body that is read. */
  readonly maxBytes?: number;
  /** Ends the call, pauses included. */
  readonly signal?: AbortSignal;
  /** Told before each request. */
  readonly onRequest?: (request: SeenRequest) => void;
  /** Told of each answer, whatever its status, with its headers. */
  readonly onAnswer?: (answer: SeenAnswer) => void;
  /** Told before each pause between two tries. */
  readonly onRetry?: (retry: {
    readonly error: NodeError;
    readonly failures: number;
    readonly pauseMs: number;
  }) => void;
}

export interface SeenRequest {
  /** Method and path as the interface names it. */
  readonly endpoint: string;
  /** Without credentials. */
  readonly url: string;
}

export interface SeenAnswer extends SeenRequest {
  readonly status: number;
  readonly headers: HttpAnswer['headers'];
  /** What the headers say of the node. */
  readonly facts: NodeFacts;
  readonly durationMs: number;
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

/** An endpoint, with what is asked of it. */
export interface Call<M extends z.ZodType = z.ZodType> {
  readonly to: Endpoint<M>;
  readonly path?: Values;
  readonly query?: Values;
  /** The first that the endpoint offers by default. */
  readonly accept?: Encoding;
  /** Whatever keeps answers on the way is told to ask the node itself. */
  readonly isFresh?: boolean;
  /** Over a connection that stands open, if there is one. */
  readonly isWarm?: boolean;
  /** Sent as JSON, once the endpoint's model takes it. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly bytes?: Uint8Array;
}

export const DEFAULT_TIMEOUT_MS = 5_000;
const SHOWN_BODY = 200;
const SHOWN_ISSUES = 3;

export class Caller {
  readonly #places: Places;
  readonly settings: CallSettings;

  constructor(places: Places, settings: CallSettings) {
    this.#places = places;
    this.settings = settings;
  }

  /** The answer of a call that succeeded (2xx). Throws {@link NodeError}, and RangeError for what cannot be asked. */
  async answer(call: Call, policy: CallPolicy = {}): Promise<HttpAnswer> {
    return (await this.answerFrom(call, policy)).answer;
  }

  /** The same, and where it comes from. */
  async answerFrom(call: Call, policy: CallPolicy = {}): Promise<{ answer: HttpAnswer; place: Place }> {
    const chosen = { ...this.settings.policy, ...policy };
    const attempts = call.to.changes ? 1 : (chosen.attempts ?? 1);
    for (let failures = 1; ; failures++) {
      try {
        return await this.#places.ask(!call.to.changes, async (place) => ({
          answer: await this.#once(call, chosen, place),
          place,
        }));
      } catch (error) {
        if (failures >= attempts || !mayPass(error)) throw error;
        await this.#pause(call, failures, error, chosen);
      }
    }
  }

  /** The answer's JSON as the endpoint's model reads it. */
  async json<M extends z.ZodType>(call: Call<M>, policy?: CallPolicy): Promise<z.output<M>> {
    const answer = await this.answer(call, policy);
    return this.read(call, call.to.model, answer.body.toString('utf8'));
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
    return await this.#places.ask(true, async (place) => {
      const asked = requestOf(call, place.base);
      const answer = await this.#opened(asked, place, signal);
      if (answer.status !== 200) throw statusError(asked, { ...answer, body: await startOf(answer) });
      const type = String(answer.headers['content-type'] ?? '');
      if (type.startsWith(EVENTS_TYPE)) return answer;
      answer.body.destroy();
      throw this.formatError(call, `its type is ${JSON.stringify(type.slice(0, 80))}, not ${EVENTS_TYPE}`);
    });
  }

  /** The same, whatever the answer is. */
  open(call: Call, signal: AbortSignal): Promise<StreamAnswer> {
    return this.#places.ask(true, (place) => this.#opened(requestOf(call, place.base), place, signal));
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
      const message = `${where.url} gave a wrong answer: ${error.message}`;
      const forged = new NodeError('forged', message, details, error);
      this.settings.onForged?.(forged);
      throw forged;
    }
  }

  /** Where a call goes, for the details of an error. */
  where(call: Call): ReturnType<typeof whereOf> {
    return whereOf(requestOf(call, this.#places.current.base));
  }

  /** At the base as specified, or at the root as real nodes serve it: asked in turn while the answer is 404. */
  async #once(call: Call, policy: CallPolicy, place: Place): Promise<HttpAnswer> {
    const prefixes = { base: [place.base], root: [place.root], both: [place.base, place.root] }[call.to.at];
    for (const [index, prefix] of prefixes.entries()) {
      const asked = requestOf(call, prefix, policy);
      const ask = () => (call.isWarm ? place.askWarm(asked) : place.http.ask(asked));
      const answer = await this.told(asked, policy, ask);
      if (answer.status >= 200 && answer.status < 300) return answer;
      if (answer.status !== 404 || index === prefixes.length - 1) throw statusError(asked, answer);
    }
    throw new RangeError(`${call.to.path} has no address to ask`);
  }

  #opened(asked: HttpRequest, place: Place, signal: AbortSignal): Promise<StreamAnswer> {
    return this.told(asked, this.settings.policy, () => place.http.open(asked, signal));
  }

  /** Asks, and tells the hooks of the question and its answer. */
  async told<A extends Pick<HttpAnswer, 'status' | 'headers'>>(
    asked: HttpRequest,
    { onRequest, onAnswer }: CallPolicy,
    ask: () => Promise<A>,
  ): Promise<A> {
    if (!onRequest && !onAnswer) return await ask();
    const { endpoint, url } = whereOf(asked);
    const askedAtMs = performance.now();
    onRequest?.({ endpoint, url });
    const answer = await ask();
    const { status, headers } = answer;
    const durationMs = performance.now() - askedAtMs;
    onAnswer?.({ endpoint, url, status, headers, facts: factsIn(answer), durationMs });
    return answer;
  }

  #parse(call: Call, text: string): unknown {
    try {
      return parseExactJson(text);
    } catch (error) {
      throw this.formatError(call, `it is no JSON: ${JSON.stringify(text.slice(0, SHOWN_BODY))}`, error);
    }
  }

  async #pause(
    call: Call,
    failures: number,
    error: NodeError,
    { signal, onRetry }: CallPolicy,
  ): Promise<void> {
    const pauseMs = error.details.retryAfterMs ?? backoffMs(failures, this.settings.random());
    onRetry?.({ error, failures, pauseMs });
    try {
      await this.settings.pause(pauseMs, signal);
    } catch (cause) {
      const where = this.where(call);
      const message = `the request to ${where.url} was ended by its caller`;
      throw new NodeError('aborted', message, { ...where, advice: adviceFor('aborted', '') }, cause);
    }
  }
}

/** Throws RangeError for what cannot be asked. */
export function requestOf(call: Call, prefix: string, policy: CallPolicy = {}): HttpRequest {
  const { to, accept = to.encodings[0], json, bytes } = call;
  const model = to.body?.type === JSON_TYPE ? to.body : undefined;
  if (model && json !== undefined) checkBody(model.model, json, model.entry);
  const body = json === undefined ? bytes : JSON.stringify(json);
  const maxBytes = policy.maxBytes ?? to.maxBytes;
  return {
    method: to.method,
    url: prefix + pathOf(to, call.path ?? {}) + queryOf(to, call.query ?? {}),
    endpoint: `${to.method} ${to.path}`,
    headers: {
      ...(accept === undefined ? {} : { accept }),
      ...(accept?.startsWith(JSON_TYPE) ? { 'accept-encoding': 'gzip' } : {}),
      ...(call.isFresh ? { 'cache-control': 'no-cache' } : {}),
      ...(body === undefined ? {} : { 'content-type': json === undefined ? BYTES_TYPE : JSON_TYPE }),
    },
    timeoutMs: policy.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    signal: policy.signal,
    ...(body === undefined ? {} : { body }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  };
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
