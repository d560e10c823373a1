/** Brings one notice to one target, once: what came of it says whether it is worth another try. */
import { Agent, type Dispatcher, request } from 'undici';
import type { DeliveryEnd } from '../bridge/alerts.js';
import { printable } from '../core/names/names.js';
import type { Posting } from './forms.js';

/** From one try to the next: five in all. */
export const BACKOFF_MS: readonly number[] = [5_000, 30_000, 120_000, 600_000];
/** What a target asks for is believed up to here. */
const LONGEST_WAIT_MS = 3_600_000;
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 4_096;
const MAX_SAID = 160;

/** What a target says after it has taken a notice is let in for so long, so that it does not see a broken connection. */
const GOODBYE_MS = 1_000;

export interface CourierOptions {
  readonly backoffMs?: readonly number[];
  readonly timeoutMs?: number;
}

export interface SendOptions {
  /** This one included. */
  readonly tries: number;
  readonly signal: AbortSignal;
}

export class Courier {
  readonly #options: CourierOptions;
  /** No connection is kept for the next time, which may be in days. */
  readonly #way = new Agent({ connect: { timeout: TIMEOUT_MS }, pipelining: 0, keepAliveTimeout: 1 });

  constructor(options: CourierOptions = {}) {
    this.#options = options;
  }

  /** Never rejects. */
  async send(posting: Posting, { tries, signal }: SendOptions): Promise<DeliveryEnd> {
    try {
      const answer = await this.#post(posting, signal);
      return this.#endOf(answer, posting, tries);
    } catch (error) {
      if (signal.aborted) return { outcome: 'released' };
      return this.#again(`cannot be reached: ${masked(messageOf(error), posting)}`, tries);
    }
  }

  async close(): Promise<void> {
    await this.#way.destroy();
  }

  async #post({ url, headers, body }: Posting, signal: AbortSignal): Promise<Answer> {
    const late = AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS);
    const ends = AbortSignal.any([signal, late]);
    const asking = request(url, {
      ...{ method: 'POST', headers: { ...headers, 'user-agent': 'stratum-bridge' }, body },
      ...{ dispatcher: this.#way, signal: ends },
    });
    // While it connects it hears of no end.
    const answer = await Promise.race([asking, endOf(ends)]);
    // It is taken, however long it goes on answering.
    const text = isTaken(answer.statusCode) ? passOver(answer.body) : await firstOf(answer.body);
    return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], text };
  }

  #endOf({ status, retryAfter, text }: Answer, posting: Posting, tries: number): DeliveryEnd {
    if (isTaken(status)) return { outcome: 'delivered' };
    // Masked before it is cut: a part of a secret is one, too.
    const said = printable(masked(text.trim(), posting).slice(0, MAX_SAID));
    const says = `answered ${status}${said === '' ? '' : `: ${said}`}`;
    if (status >= 300 && status < 400)
      return { outcome: 'failed', says: `answered ${status}, which leads elsewhere: that is not followed` };
    // A no that only means "not now".
    const isFinal = status < 500 && status !== 408 && status !== 429;
    if (isFinal) return { outcome: 'failed', says };
    const end = this.#again(says, tries, waitOf(retryAfter, text));
    return end.outcome === 'retried' && status === 429 ? { ...end, isForAll: true } : end;
  }

  #again(says: string, tries: number, asksForMs = 0): DeliveryEnd {
    const backoffMs = (this.#options.backoffMs ?? BACKOFF_MS)[tries - 1];
    if (backoffMs === undefined) return { outcome: 'failed', says };
    return { outcome: 'retried', says, afterMs: Math.max(backoffMs, Math.min(LONGEST_WAIT_MS, asksForMs)) };
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | string[] | undefined;
  /** Its beginning. */
  readonly text: string;
}

function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

function isTaken(status: number): boolean {
  return status >= 200 && status < 300;
}

function passOver(body: Dispatcher.ResponseData['body']): '' {
  const patience = AbortSignal.timeout(GOODBYE_MS);
  body.dump({ limit: MAX_ANSWER_BYTES, signal: patience }).catch(() => {}); // nobody wants to know how it ended
  return '';
}

/** What is behind is not read: the connection ends there. */
async function firstOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8');
}

/** Seconds or a date in the header, or seconds in the JSON of Discord and Telegram. */
function waitOf(header: string | string[] | undefined, text: string): number {
  const [said = ''] = [header ?? ''].flat();
  if (/^\d{1,9}(\.\d{1,9})?$/.test(said)) return Number(said) * 1000;
  const dateMs = Date.parse(said);
  if (!Number.isNaN(dateMs)) return Math.max(0, dateMs - Date.now());
  const [, seconds] = /"retry_after"\s*:\s*(\d{1,9}(?:\.\d{1,9})?)/.exec(text) ?? [];
  return Number(seconds ?? 0) * 1000;
}

function messageOf(error: unknown): string {
  const { message, cause, code } = error as Error & { code?: string };
  return (cause as Error | undefined)?.message || message || code || 'no reason is known';
}

function masked(text: string, { secrets }: Posting): string {
  // A part of another secret comes after that.
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  return longestFirst.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}
