/** Requests to one node: bounded in time and size, every failure a {@link NodeError}. */
import { Agent, type Dispatcher, request } from 'undici';
import { NodeError, rootMessage } from './errors.js';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  readonly timeoutMs: number;
  /** Largest body that is read. */
  readonly maxBytes?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

export interface StreamAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Dispatcher.ResponseData['body'];
}

const MAX_BYTES = 4 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 60_000;

export class NodeHttp {
  readonly #agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, keepAliveTimeout: KEEP_ALIVE_MS });

  /** The whole answer, whatever its status. Throws {@link NodeError} `unreachable`, `timeout` or `format` (too large). */
  async ask(asked: HttpRequest): Promise<HttpAnswer> {
    const signal = AbortSignal.timeout(asked.timeoutMs);
    try {
      const { statusCode, headers, body } = await this.#request(asked, signal);
      return { status: statusCode, headers, body: await readBounded(body, asked) };
    } catch (error) {
      throw asNodeError(error, asked.url, signal.aborted ? asked.timeoutMs : undefined);
    }
  }

  /** An answer whose body goes on for as long as the node likes; `signal` ends it. */
  async open(asked: Omit<HttpRequest, 'timeoutMs'>, signal: AbortSignal): Promise<StreamAnswer> {
    try {
      const { statusCode, headers, body } = await this.#request(asked, signal, {
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      return { status: statusCode, headers, body };
    } catch (error) {
      throw asNodeError(error, asked.url, undefined);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #request(
    asked: Omit<HttpRequest, 'timeoutMs'>,
    signal: AbortSignal,
    timeouts: { headersTimeout?: number; bodyTimeout?: number } = {},
  ): Promise<Dispatcher.ResponseData> {
    const { method, url, headers = {}, body = null } = asked;
    return request(url, { dispatcher: this.#agent, method, headers, body, signal, ...timeouts });
  }
}

async function readBounded(body: Dispatcher.ResponseData['body'], asked: HttpRequest): Promise<Buffer> {
  const maxBytes = asked.maxBytes ?? MAX_BYTES;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) {
      throw new NodeError('format', `${asked.url} answered with more than ${maxBytes} bytes`, {
        url: asked.url,
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function asNodeError(error: unknown, url: string, timedOutAfterMs: number | undefined): NodeError {
  if (error instanceof NodeError) return error;
  if (timedOutAfterMs !== undefined) {
    return new NodeError('timeout', `${url} did not answer within ${timedOutAfterMs} ms`, { url }, error);
  }
  return new NodeError('unreachable', `${url} cannot be reached: ${rootMessage(error)}`, { url }, error);
}
