/** One notice to one target, once: what came of it says whether it is worth another try. */
import { Agent, type Dispatcher, request } from 'undici';
import { printable } from '../core/names/names.js';
import type { Notice } from '../operations/alerts.js';
import { type Form, formOf } from './forms.js';
import type { AlertTarget } from './targets.js';

/** From one try to the next. */
const BACKOFF_MS: readonly number[] = [5_000, 30_000, 120_000, 600_000];
export const ATTEMPTS = BACKOFF_MS.length + 1;
/** What a target asks for is believed up to here. */
const LONGEST_WAIT_MS = 3_600_000;
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 4_096;
const MAX_SAID = 160;
/** What a target says after it has taken a notice is let in for so long, so that it does not see a broken connection. */
const GOODBYE_MS = 1_000;

/** The message is a sentence without secrets. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
  /** Another try would end as this one did. */
  readonly isFinal: boolean;
  readonly #asksForMs: number;

  constructor(message: string, isFinal: boolean, asksForMs = 0) {
    super(message);
    this.isFinal = isFinal;
    this.#asksForMs = asksForMs;
  }

  /** Until the next try. @param tries this one included. */
  waitMs(tries: number): number {
    return Math.max(BACKOFF_MS[tries - 1] ?? 0, Math.min(LONGEST_WAIT_MS, this.#asksForMs));
  }
}

export type Post = (target: AlertTarget, notice: Notice, signal: AbortSignal) => Promise<void>;

/** To be closed. What it posts rejects with {@link NotTaken}, or with the reason of its signal. */
export function openPost({ timeoutMs = TIMEOUT_MS } = {}): { readonly post: Post; close(): Promise<void> } {
  // No connection is kept for the next time, which may be in days.
  const dispatcher = new Agent({ connect: { timeout: TIMEOUT_MS }, pipelining: 0, keepAliveTimeout: 1 });
  const post: Post = async (target, notice, signal) => {
    const form = formOf(target, notice, Date.now());
    const ends = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      await send(form, dispatcher, ends);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof NotTaken) throw error;
      throw new NotTaken(`cannot be reached: ${masked(messageOf(error), form)}`, false);
    }
  };
  return { post, close: () => dispatcher.destroy() };
}

async function send(form: Form, dispatcher: Dispatcher, signal: AbortSignal): Promise<void> {
  const headers = { ...form.headers, 'user-agent': 'stratum-bridge' };
  const asking = request(form.url, { method: 'POST', headers, body: form.body, dispatcher, signal });
  // While it connects it hears of no end.
  const { statusCode: status, headers: said, body } = await Promise.race([asking, endOf(signal)]);
  // It is taken, however long it goes on answering.
  if (status >= 200 && status < 300) return passOver(body);
  if (status >= 300 && status < 400)
    throw new NotTaken(`answered ${status}, which leads elsewhere: that is not followed`, true);
  const text = await firstOf(body);
  // Masked before it is cut: a part of a secret is one, too.
  const words = printable(masked(text.trim(), form).slice(0, MAX_SAID));
  // A no that only means "not now".
  const isFinal = status < 500 && status !== 408 && status !== 429;
  throw new NotTaken(
    `answered ${status}${words === '' ? '' : `: ${words}`}`,
    isFinal,
    waitOf(said['retry-after'], text),
  );
}

function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

function passOver(body: Dispatcher.ResponseData['body']): void {
  const patience = AbortSignal.timeout(GOODBYE_MS);
  body.dump({ limit: MAX_ANSWER_BYTES, signal: patience }).catch(() => {}); // nobody wants to know how it ended
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

function masked(text: string, { secrets }: Form): string {
  // A part of another secret comes after that.
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  return longestFirst.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}
