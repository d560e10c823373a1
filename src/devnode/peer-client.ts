/** Asks another node, through the same interface that it serves to everybody. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, type Dispatcher, request } from 'undici';
import { fromBase64Url } from '../core/bytes.js';
import { Block, type BlockHash } from './block.js';
import type { Payload } from './payload.js';

/** A peer did not answer, or not as a node does. */
export class PeerError extends Error {
  override readonly name = 'PeerError';
  readonly code = 'peer';
  /** Of the answer, where there was one. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

export interface PeerCut {
  readonly heads: ReadonlyMap<number, { readonly hash: BlockHash; readonly height: number }>;
}

/** Where the reading of a peer's pool stopped; the texts are 64-bit integers. */
export interface Mark {
  readonly nonce: string;
  readonly since: string;
}

type PayloadWithOutputs = Omit<Payload, 'transactions' | 'outputs'> & { transactions: [string, string][] };

function splitPayload(given: PayloadWithOutputs): Payload {
  return {
    ...given,
    transactions: given.transactions.map(([transaction]) => transaction),
    outputs: given.transactions.map(([, output]) => output),
  };
}

const TIMEOUT_MS = 10_000;
/** Real nodes bound how often one address may ask. */
const THROTTLED_PAUSE_MS = 200;
const MOST_ATTEMPTS = 50;
const MOST_BYTES = 64 * 1024 * 1024;
/** Transactions taken over at a time. */
const MOST_KEYS = 10_000;
/** A header with its hash, 20 adjacents at most. */
const MOST_HEADER_TEXT = 2000;

export class PeerClient {
  readonly #url: string;
  /** Names the asking node, so that the asked one can tell whether their link is cut. */
  readonly #origin: () => string;
  readonly #signal: AbortSignal;
  readonly #agent: Agent;

  constructor(url: string, agent: Agent, origin: () => string, signal: AbortSignal) {
    this.#url = url;
    this.#agent = agent;
    this.#origin = origin;
    this.#signal = signal;
  }

  async cut(): Promise<PeerCut> {
    const { hashes } = (await this.#ask('GET', '/cut')) as {
      hashes: Record<string, { hash: BlockHash; height: number }>;
    };
    const heads = Object.entries(hashes).map(
      ([id, { hash, height }]) => [Number(id), { hash, height }] as const,
    );
    return { heads: new Map(heads) };
  }

  async putCut(cut: object): Promise<void> {
    await this.#ask('PUT', '/cut', cut);
  }

  /** One page of the ancestors of `upper`, highest first, and the cursor of the next page. */
  async ancestors(
    chainId: number,
    upper: BlockHash,
    maxHeight: number,
    cursor: string | null,
  ): Promise<{ blocks: Block[]; next: string | null }> {
    const query = `maxheight=${maxHeight}${cursor === null ? '' : `&next=${encodeURIComponent(cursor)}`}`;
    const page = (await this.#ask('POST', `/chain/${chainId}/header/branch?${query}`, {
      upper: [upper],
      lower: [],
    })) as {
      items: unknown[];
      next: string | null;
    };
    return { blocks: page.items.map(readHeaderText), next: page.next };
  }

  async payloads(chainId: number, blocks: readonly Block[]): Promise<Map<string, Payload>> {
    const body = {
      hashes: blocks.map((block) => block.payloadHash),
      heights: blocks.map((block) => block.height),
    };
    const path = `/chain/${chainId}/payload`;
    const found = await this.#ask('POST', `${path}/outputs/batch`, body).catch((error: unknown) => {
      if (error instanceof PeerError && error.status === 404) return undefined;
      throw error;
    });
    const all = (found ?? (await this.#oneByOne(path, body.hashes))) as PayloadWithOutputs[];
    return new Map(all.map((one) => [one.payloadHash, splitPayload(one)]));
  }

  /** The peer port of a real node gives no batches. */
  async #oneByOne(path: string, hashes: readonly string[]): Promise<unknown[]> {
    const found: unknown[] = [];
    for (const hash of hashes) found.push(await this.#ask('GET', `${path}/${hash}/outputs`));
    return found;
  }

  /** Keys in the peer's pool, since `mark` if that is of this pool, and the mark to go on from. */
  async pending(chainId: number, mark: Mark | undefined): Promise<{ keys: string[]; mark: Mark }> {
    const query = mark ? `?nonce=${mark.nonce}&since=${mark.since}` : '';
    const text = await this.#askText('POST', `/chain/${chainId}/mempool/getPending${query}`);
    const { hashes } = JSON.parse(text) as { hashes: string[] };
    // Read from the text, since the nonce may be beyond 2^53.
    const [, nonce, since] = /"highwaterMark":\s*\[\s*(-?\d+)\s*,\s*(-?\d+)\s*\]/.exec(text) ?? [];
    if (nonce === undefined || since === undefined) throw new PeerError('a pool without a high-water mark');
    return { keys: hashes.slice(0, MOST_KEYS), mark: { nonce, since } };
  }

  /** JSON texts of those transactions that are still there. */
  async transactions(chainId: number, keys: readonly string[]): Promise<string[]> {
    const found = (await this.#ask('POST', `/chain/${chainId}/mempool/lookup`, keys)) as {
      contents?: string;
    }[];
    return found.flatMap(({ contents }) => contents ?? []);
  }

  async #ask(method: Dispatcher.HttpMethod, path: string, body?: object): Promise<unknown> {
    const text = await this.#askText(method, path, body);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** Asks again after a while when it is too often for the peer. */
  async #askText(method: Dispatcher.HttpMethod, path: string, body?: object): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      const { status, text } = await this.#answer(method, path, body);
      if (status < 300) return text;
      if (status !== 429 || attempt >= MOST_ATTEMPTS) {
        throw new PeerError(`${method} ${path} was answered ${status}: ${text.slice(0, 200)}`, status);
      }
      await sleep(THROTTLED_PAUSE_MS, undefined, { signal: this.#signal });
    }
  }

  async #answer(
    method: Dispatcher.HttpMethod,
    path: string,
    body?: object,
  ): Promise<{ status: number; text: string }> {
    const answer = await request(this.#url + path, {
      method,
      dispatcher: this.#agent,
      headers: {
        accept: 'application/json',
        'x-peer-origin': this.#origin(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      signal: this.#signal,
    });
    return { status: answer.statusCode, text: await readBounded(answer.body) };
  }
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new PeerError(`an answer of more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readHeaderText(text: unknown): Block {
  const bytes = typeof text === 'string' && text.length < MOST_HEADER_TEXT ? fromBase64Url(text) : undefined;
  if (bytes === undefined || bytes.length < 210) throw new PeerError('an answer holds what is no header');
  return Block.fromHeader(bytes.slice(0, -32));
}
