/** Questions to the bridge, and its clock. */

/** Why there is no answer, in a sentence: the bridge's own where it gave one. */
export class AskError extends Error {
  override readonly name = 'AskError';
  /** The bridge, or something before it, said no; otherwise nobody answered. */
  readonly isAnswer: boolean;

  constructor(sentence: string, isAnswer: boolean) {
    super(sentence);
    this.isAnswer = isAnswer;
  }
}

export interface Ask {
  /** Rejects with {@link AskError}, or as `fetch` does when it is given up. */
  open(path: string, signal: AbortSignal): Promise<Response>;
  json<T>(path: string, signal: AbortSignal): Promise<T>;
  /** Milliseconds since the epoch, by the clock of the bridge. */
  nowMs(): number;
}

const NOBODY = 'the bridge does not answer';
/** A header has whole seconds, and takes its time to come: clocks that differ by less are taken for one. */
const SAME_CLOCK_MS = 3_000;

export function createAsk(): Ask {
  let aheadMs = 0;
  const heard = (date: string | null): void => {
    const difference = date === null ? Number.NaN : Date.parse(date) + 500 - Date.now();
    if (!Number.isNaN(difference)) aheadMs = Math.abs(difference) < SAME_CLOCK_MS ? 0 : difference;
  };
  const open = async (path: string, signal: AbortSignal): Promise<Response> => {
    const response = await fetch(path, { signal, cache: 'no-store' }).catch((error: unknown) => {
      throw signal.aborted ? error : new AskError(NOBODY, false);
    });
    heard(response.headers.get('date'));
    if (!response.ok) throw new AskError(await sentenceOf(response), true);
    return response;
  };
  return {
    open,
    json: async <T>(path: string, signal: AbortSignal) => {
      const response = await open(path, signal);
      return response.json().catch((error: unknown) => {
        throw signal.aborted ? error : new AskError('what answers here is no bridge', true);
      }) as Promise<T>;
    },
    nowMs: () => Date.now() + aheadMs,
  };
}

async function sentenceOf(response: Response): Promise<string> {
  const said = (await response.json().catch(() => undefined)) as { error?: unknown } | undefined;
  return typeof said?.error === 'string' ? said.error : `the answer was ${response.status}`;
}

/** What can be told of any failure. */
export function sentence(error: unknown): string {
  return error instanceof AskError ? error.message : NOBODY;
}
