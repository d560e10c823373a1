/** What an answer that is no success says. */
import type { z } from 'zod';
import { NodeError, type NodeErrorDetails, type Refusal } from '../../chain/errors.js';
import { notFoundModel } from '../../chain/models.js';
import { adviceForStatus } from './advice.js';
import { type HttpAnswer, type HttpRequest, whereOf } from './http.js';

const SHOWN_BODY = 200;
/** Of a refusal of commands more is kept: it names each of them. */
const KEPT_WORDS = 64 * 1024;
const NOT_NOW = [408, 425, 429, 500, 502, 503, 504];
/** No node is waited for longer, whatever it asks for. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** A failure that may be over at the next try. */
export function mayPass(error: unknown): error is NodeError {
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
  more: Pick<NodeErrorDetails, 'posts' | 'isFinal'> = {},
): NodeError {
  const { status, body } = answer;
  const text = body.subarray(0, SHOWN_BODY).toString('utf8').trim();
  const where = whereOf(asked);
  const wait = retryAfterMs(answer);
  const details = {
    ...{ ...where, ...more, status, text, advice: adviceForStatus(where.endpoint, status) },
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
  const missing = status === 404 ? notFoundIn(body) : undefined;
  if (missing) {
    const message = `${asked.url} does not have ${missing.key || 'anything that matches'}: ${missing.reason}`;
    return new NodeError('not-found', message, { ...details, key: missing.key });
  }
  if (status === 400 && where.endpoint.includes('/pact/')) {
    const words = body.subarray(0, KEPT_WORDS).toString('utf8').trim();
    const refused = { ...details, text: words, refusals: refusalsIn(words) };
    return new NodeError('refused', `${asked.url} refused it: ${text || 'no text'}`, refused);
  }
  const said = text === '' ? 'no text' : JSON.stringify(text);
  return new NodeError('status', `${asked.url} answered ${status} with ${said}`, details);
}

/** `… Transaction "<request key>" at index 0 failed with: <reason>, Transaction "…" at index 2 failed with: …` */
function refusalsIn(text: string): Refusal[] {
  const [, ...parts] = text.split(/(?:^|[:,] )Transaction "([\w-]{43})" at index (\d{1,6}) failed with: /);
  const refusals: Refusal[] = [];
  for (let i = 0; i < parts.length; i += 3) {
    const [requestKey = '', index = '', reason = ''] = parts.slice(i, i + 3);
    refusals.push({ index: Number(index), requestKey, reason });
  }
  return refusals;
}

/** `Retry-After` in seconds or as a date, in milliseconds from now. */
function retryAfterMs({ headers }: Pick<HttpAnswer, 'headers'>): number | undefined {
  const text = [headers['retry-after']].flat()[0];
  if (text === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, ms));
}

function notFoundIn(body: Buffer): z.output<typeof notFoundModel> | undefined {
  try {
    return notFoundModel.safeParse(JSON.parse(body.toString('utf8'))).data;
  } catch {
    return undefined; // other text: a 404 that names no key
  }
}
