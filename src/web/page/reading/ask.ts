/** Questions and orders to the bridge, and its clock. */

import type { Access } from '../../../operations/enums.js';
import { endedSentence } from '../words/sentences.js';
import type { Standing } from './answers.js';
import type { RoleHolder } from './session.js';

/** Why there is no answer, in a sentence: the bridge's own where it gave one. */
export class AskError extends Error {
  override readonly name = 'AskError';
  /** The bridge, or something before it, said no; otherwise nobody answered. */
  readonly isAnswer: boolean;
  /** Of the answer; 0 where there was none. */
  readonly status: number;
  /** What else the answer says. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(sentence: string, isAnswer: boolean, status = 0, body: Readonly<Record<string, unknown>> = {}) {
    super(sentence);
    this.isAnswer = isAnswer;
    this.status = status;
    this.body = body;
  }
}

export type OrderMethod = 'POST' | 'PUT' | 'DELETE';

export interface Ask {
  /** Rejects with {@link AskError}, or as `fetch` does when it is given up. */
  open(path: string, signal: AbortSignal, accept?: string): Promise<Response>;
  json<T>(path: string, signal: AbortSignal): Promise<T>;
  /**
   * Resolves with the JSON of the answer. Is never given twice, and never up: where no answer comes, nobody knows
   * whether it was carried out, and {@link AskError} says so.
   */
  order(method: OrderMethod, path: string, body?: unknown): Promise<unknown>;
  /** What the bridge lets whoever looks do. Rejects with {@link AskError} where nobody answers. */
  role(): Promise<Access>;
  /** The same, once a link or a token has signed in. Rejects with {@link AskError} for a wrong one. */
  signIn(by: { readonly link: string } | { readonly token: string }): Promise<Access>;
  signOut(): Promise<void>;
  /** Milliseconds since the epoch, by the clock of the bridge. */
  nowMs(): number;
}

const NOBODY = 'the bridge does not answer';
const PERHAPS = `${NOBODY}: whether it has carried out the order is not known`;
const NO_BRIDGE = 'what answers here is no bridge';
/** A header has whole seconds, and takes its time to come: clocks that differ by less are taken for one. */
const SAME_CLOCK_MS = 3_000;

export function createAsk(holder: RoleHolder): Ask {
  let aheadMs = 0;
  const heard = (date: string | null): void => {
    const difference = date === null ? Number.NaN : Date.parse(date) + 500 - Date.now();
    if (!Number.isNaN(difference)) aheadMs = Math.abs(difference) < SAME_CLOCK_MS ? 0 : difference;
  };
  const send = async (path: string, init: RequestInit, nobody: string) => {
    const response = await fetch(path, { ...init, cache: 'no-store' }).catch((error: unknown) => {
      throw init.signal?.aborted ? error : new AskError(nobody, false);
    });
    heard(response.headers.get('date'));
    if (response.ok) return response;
    const fault = await faultOf(response);
    // The session is over, or its token is none any more: what needs none goes on without it.
    if (fault.status === 401) holder.hold('anonymous');
    throw fault;
  };
  const open = (path: string, signal: AbortSignal, accept = 'application/json') =>
    send(path, { signal, headers: { accept } }, NOBODY);
  return {
    open,
    json: async <T>(path: string, signal: AbortSignal) => {
      const response = await open(path, signal);
      return response.json().catch((error: unknown) => {
        throw signal.aborted ? error : new AskError(NO_BRIDGE, true);
      }) as Promise<T>;
    },
    order: async (method, path, body) => {
      const response = await send(path, orderOf(method, body), PERHAPS);
      const text = await response.text().catch(() => {
        throw new AskError(PERHAPS, false);
      });
      return text === '' ? undefined : parsed(text);
    },
    role: async () => roleIn(await send('/api/v1/standing', {}, NOBODY)),
    signIn: async (by) => roleIn(await send('/api/v1/session', orderOf('POST', by), NOBODY)),
    signOut: async () => void (await send('/api/v1/session', { method: 'DELETE' }, NOBODY)),
    nowMs: () => Date.now() + aheadMs,
  };
}

async function roleIn(response: Response): Promise<Access> {
  return (parsed(await response.text()) as Standing).standing;
}

function orderOf(method: OrderMethod, body: unknown): RequestInit {
  if (body === undefined) return { method };
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AskError(NO_BRIDGE, true);
  }
}

async function faultOf(response: Response): Promise<AskError> {
  const said = (await response.json().catch(() => undefined)) as Record<string, unknown> | undefined;
  const { error } = said ?? {};
  const sentence = typeof error === 'string' ? error : `the answer was ${response.status}`;
  return new AskError(sentence, true, response.status, said);
}

/** What can be told of any failure, as people read it: with all that is refused, where an answer names it. */
export function sentence(error: unknown): string {
  if (!(error instanceof AskError)) return endedSentence(NOBODY);
  const { refused } = error.body;
  const lines = Array.isArray(refused) ? refused.map(String) : [];
  return endedSentence([error.message, ...lines].join('; '));
}
