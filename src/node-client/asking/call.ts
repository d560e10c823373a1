/** One call of a node's interface: asked by the table of endpoints and a policy, repeated where that is safe, and read by a model. */
import { z } from 'zod';
import {
  BYTES_TYPE,
  type Encoding,
  type Endpoint,
  EVENTS_TYPE,
  JSON_TYPE,
  pathOf,
  queryOf,
  type Values,
} from '../../chain/endpoint.js';
import { NodeError, rootCode } from '../../chain/errors.js';
import { parseExactJson } from '../../chain/json.js';
import { checkBody } from '../../chain/parameters.js';
import { ForgedError } from '../../chain/verify.js';
import { adviceFor } from './advice.js';
import { backoffMs } from './backoff.js';
import type { ClientNode, ClientNodes } from './client-nodes.js';
import { factsIn } from './facts.js';
import { mayPass, statusError } from './failures.js';
import { type HttpAnswer, type HttpRequest, type StreamAnswer, whereOf } from './http.js';
import { type CallPolicy, type CallSettings, DEFAULT_TIMEOUT_MS } from './policy.js';

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
  /** The same object is asked again and again, with one policy but for the signal: its request is written once for each address. */
  readonly isKept?: boolean;
  /** Sent as JSON, once the endpoint's model takes it. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly bytes?: string | Uint8Array;
}

export interface Answered<T> {
  readonly answer: T;
  readonly node: ClientNode;
}

type Heard = (answer: HttpAnswer, node: ClientNode) => void;

/** There was no connection, so nothing was asked on it. */
const NOT_CONNECTED = [
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
];
const PREFIXES = {
  base: ({ base }: ClientNode) => [base],
  root: ({ root }: ClientNode) => [root],
  both: ({ base, root }: ClientNode) => [base, root],
} as const;
const SHOWN_BODY = 200;
const SHOWN_ISSUES = 3;

export class Caller {
  readonly #nodes: ClientNodes;
  readonly settings: CallSettings;
  /** Of calls that are kept: prefix -> request. */
  readonly #kept = new WeakMap<Call, Map<string, HttpRequest>>();

  constructor(nodes: ClientNodes, settings: CallSettings) {
    this.#nodes = nodes;
    this.settings = settings;
  }

  /** As the node names it that is asked now. */
  get network(): string {
    return this.#nodes.found.address.network;
  }

  /** The answer of a call that succeeded (2xx). Throws {@link NodeError}, and RangeError for what cannot be asked. */
  async answer(call: Call, policy: CallPolicy = {}): Promise<HttpAnswer> {
    return (await this.answerFrom(call, policy)).answer;
  }

  /** The same, and where it comes from. @param heard told of it some turns before the promise is kept; what it throws is thrown. */
  answerFrom(call: Call, policy: CallPolicy = {}, heard?: Heard): Promise<Answered<HttpAnswer>> {
    const chosen = { ...this.settings.policy, ...policy };
    const once = () => this.#atOne(call.to.changes, (node) => this.#once(call, chosen, node, heard));
    const attempts = call.to.changes ? 1 : (chosen.attempts ?? 1);
    return attempts === 1 ? once() : this.#repeated(once, attempts, call, chosen);
  }

  async #repeated<T>(once: () => Promise<T>, attempts: number, call: Call, policy: CallPolicy): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await once();
      } catch (error) {
        if (failures >= attempts || !mayPass(error)) throw error;
        await this.#pause(call, failures, error, policy);
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
    const { answer: stream } = await this.#atOne(false, async (node) => {
      const asked = requestOf(call, node.base);
      const answer = await this.told(asked, this.settings.policy, () => node.http.open(asked, signal));
      if (answer.status !== 200) throw statusError(asked, { ...answer, body: await startOf(answer) });
      const type = String(answer.headers['content-type'] ?? '');
      if (type.startsWith(EVENTS_TYPE)) return answer;
      answer.body.destroy();
      throw this.formatError(call, `its type is ${JSON.stringify(type.slice(0, 80))}, not ${EVENTS_TYPE}`);
    });
    return stream;
  }

  /** What `decode` makes of an answer. Throws {@link NodeError} `format` with its words. @param where in the answer. */
  decoded<T>(call: Call, decode: () => T, where = ''): T {
    try {
      return decode();
    } catch (error) {
      const what = error instanceof z.ZodError ? issuesIn(error) : (error as Error).message;
      throw this.formatError(call, where + what, error);
    }
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
    return whereOf(requestOf(call, this.#nodes.found.base));
  }

  /**
   * Asks the node that is preferred now, and where that fails for now, or cannot be found, the next. Throws what the first one
   * failed with.
   *
   * @param changes what is asked for must not happen twice: the next is asked only where nothing reached the one before.
   */
  async #atOne<T>(changes: boolean, ask: (node: ClientNode) => Promise<T>): Promise<Answered<T>> {
    const failures: unknown[] = [];
    for (const node of this.#nodes.inTurn()) {
      let wasSent = false;
      try {
        if (!node.isFound) await this.#nodes.find(node);
        wasSent = changes;
        const answer = await ask(node);
        this.#nodes.answered(node);
        return { answer, node };
      } catch (error) {
        if (!mayPass(error) && !isElsewhere(error)) throw error;
        this.#nodes.failed(node);
        failures.push(error);
        if (wasSent && !NOT_CONNECTED.includes(rootCode(error))) throw error;
      }
    }
    throw failures[0];
  }

  /** At the base as specified, or at the root as real nodes serve it: asked in turn while the answer is 404. */
  async #once(call: Call, policy: CallPolicy, node: ClientNode, heard?: Heard): Promise<HttpAnswer> {
    const hear = (answer: HttpAnswer): void => {
      if (isSuccess(answer)) heard?.(answer, node);
    };
    const prefixes = PREFIXES[call.to.at](node);
    for (const [index, prefix] of prefixes.entries()) {
      const asked = this.#requestOf(call, prefix, policy);
      const via = call.isWarm ? node.workLines.free : undefined;
      const options = { signal: policy.signal, via, heard: hear };
      const answer = await this.told(asked, policy, () => node.http.ask(asked, options));
      if (isSuccess(answer)) return answer;
      if (answer.status !== 404 || index === prefixes.length - 1) throw statusError(asked, answer);
    }
    throw new RangeError(`${call.to.path} has no address to ask`);
  }

  #requestOf(call: Call, prefix: string, policy: CallPolicy): HttpRequest {
    if (!call.isKept) return requestOf(call, prefix, policy);
    const kept = this.#kept.get(call) ?? new Map<string, HttpRequest>();
    this.#kept.set(call, kept);
    const asked = kept.get(prefix) ?? requestOf(call, prefix, policy);
    kept.set(prefix, asked);
    return asked;
  }

  /** Asks, and tells the hooks of the question and its answer. */
  told<A extends Pick<HttpAnswer, 'status' | 'headers'>>(
    asked: HttpRequest,
    { onRequest, onAnswer }: CallPolicy,
    ask: () => Promise<A>,
  ): Promise<A> {
    if (!onRequest && !onAnswer) return ask();
    const { endpoint, url } = whereOf(asked);
    const askedAtMs = performance.now();
    onRequest?.({ endpoint, url });
    return ask().then((answer) => {
      const { status, headers } = answer;
      const durationMs = performance.now() - askedAtMs;
      onAnswer?.({ endpoint, url, status, headers, facts: factsIn(answer), durationMs });
      return answer;
    });
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

/** As it is sent, once the endpoint's model takes it. Throws RangeError where it does not. */
export function bodyOf(to: Endpoint, json: unknown): string {
  if (to.body?.type === JSON_TYPE) checkBody(to.body.model, json, to.body.entry);
  return JSON.stringify(json);
}

/** But for the signal of the policy. Throws RangeError for what cannot be asked. */
export function requestOf(call: Call, prefix: string, policy: CallPolicy = {}): HttpRequest {
  const { to, accept = to.encodings[0], json, bytes } = call;
  const body = json === undefined ? bytes : bodyOf(to, json);
  const maxBytes = policy.maxBytes ?? to.maxBytes;
  return {
    method: to.method,
    url: prefix + pathOf(to, call.path ?? {}) + queryOf(to, call.query ?? {}),
    endpoint: `${to.method} ${to.path}`,
    headers: {
      ...(accept === undefined ? {} : { accept }),
      ...(accept?.startsWith(JSON_TYPE) ? { 'accept-encoding': 'gzip' } : {}),
      ...(call.isFresh ? { 'cache-control': 'no-cache' } : {}),
      ...(body === undefined ? {} : { 'content-type': to.body?.type ?? BYTES_TYPE }),
    },
    timeoutMs: policy.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    ...(body === undefined ? {} : { body }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  };
}

function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** It was found to be no node of this network: the others may be. */
function isElsewhere(error: unknown): boolean {
  return error instanceof NodeError && error.code === 'not-a-node';
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
