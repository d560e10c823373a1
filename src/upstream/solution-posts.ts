/** Posting solutions: what an answer says of them, and a poster for a process that asks nodes for nothing else. */
import type { SolutionAnswer, SolutionSink } from '../bridge/ports.js';
import { NodeError } from '../chain/errors.js';
import type { Log } from '../core/names/log.js';
import { nodeNameOf } from '../core/names/node-name.js';
import { backoffMs } from '../node-client/asking/backoff.js';
import { type ConnectOptions, NodeClient } from '../node-client/client.js';

/** Never rejects. */
export async function postTo(client: NodeClient, header: Uint8Array): Promise<SolutionAnswer> {
  try {
    await client.solved(header);
    return { outcome: 'received' };
  } catch (error) {
    return answerOf(error);
  }
}

function answerOf(error: unknown): SolutionAnswer {
  const status = error instanceof NodeError ? error.details.status : undefined;
  const isFinal = status !== undefined && status >= 400 && status < 500 && ![408, 425, 429].includes(status);
  if (isFinal) {
    const { text = '', posts = 1 } = (error as NodeError).details;
    return { outcome: 'refused', status, text, ...(posts > 1 ? { isRepeated: true } : {}) };
  }
  return { outcome: 'unanswered', error: error as Error };
}

export interface SolutionPosterOptions {
  readonly urls: readonly string[];
  readonly connect: ConnectOptions;
  readonly random: () => number;
  readonly log: Log;
}

const CONNECT_MS = 5_000;

/** Keeps connections open to the nodes whose works are mined. */
export class SolutionPoster implements SolutionSink {
  readonly #options: SolutionPosterOptions;
  /** By the name of a node. */
  readonly #clients = new Map<string, NodeClient>();
  readonly #connecting = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isClosed = false;

  constructor(options: SolutionPosterOptions) {
    this.#options = options;
  }

  /** Works of this node are mined: a solution may come. Returns at once. */
  expect(node: string): void {
    if (this.#clients.has(node) || this.#connecting.has(node)) return;
    const url = this.#options.urls.find((each) => nodeNameOf(each) === node);
    if (url === undefined) return;
    this.#connecting.add(node);
    void this.#connect(node, url, 1);
  }

  /** It is connected: a post leaves at once. */
  has(node: string): boolean {
    return this.#clients.has(node);
  }

  async postSolution(node: string, header: Uint8Array): Promise<SolutionAnswer> {
    const client = this.#clients.get(node);
    if (!client) return { outcome: 'unanswered', error: new Error(`no connection to ${node}`) };
    return postTo(client, header);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }

  async #connect(node: string, url: string, attempt: number): Promise<void> {
    const { connect, random, log } = this.#options;
    try {
      const client = await NodeClient.connect(url, CONNECT_MS, connect);
      if (this.#isClosed) return await client.close();
      client.openForSolutions();
      this.#clients.set(node, client);
      this.#connecting.delete(node);
    } catch (error) {
      if (this.#isClosed) return;
      const words = 'no connection for solutions yet; until there is one the hub posts them';
      log.debug({ node, error: (error as Error).message }, words);
      const timer = setTimeout(
        () => {
          this.#timers.delete(timer);
          void this.#connect(node, url, attempt + 1);
        },
        backoffMs(attempt, random()),
      );
      this.#timers.add(timer);
    }
  }
}
