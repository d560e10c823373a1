/** Asks another node, through the same interface that it serves to everybody. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, type Dispatcher, request } from 'undici';
import type { Block, BlockHash } from '../consensus/block.js';
import type { Payload } from '../mining/payload.js';
import {
  type Head,
  type Mark,
  PeerError,
  readBranch,
  readCut,
  readFound,
  readPayloads,
  readPending,
} from './peer-answers.js';
import { RULES_HEADER } from './peer-rules.js';

export interface BranchPart {
  readonly maxHeight: number;
  readonly limit?: number;
  /** Its ancestors and itself are left out; the peer has to know it. */
  readonly lower?: BlockHash | undefined;
  readonly next?: string | null;
}

const TIMEOUT_MS = 10_000;
/** Real nodes bound how often one address may ask. */
const THROTTLED_PAUSE_MS = 200;
const MOST_ATTEMPTS = 50;
const MOST_BYTES = 64 * 1024 * 1024;

export class PeerClient {
  readonly #url: string;
  /** Names the asking node, so that the asked one can tell whether their link is cut. */
  readonly #origin: () => string;
  readonly #rules: string;
  readonly #signal: AbortSignal;
  readonly #agent: Agent;

  /** @param rules what both nodes must have in common, as `rulesText` writes it. */
  constructor(url: string, agent: Agent, origin: () => string, rules: string, signal: AbortSignal) {
    this.#url = url;
    this.#agent = agent;
    this.#origin = origin;
    this.#rules = rules;
    this.#signal = signal;
  }

  async cut(): Promise<ReadonlyMap<number, Head>> {
    return readCut(await this.#ask('GET', '/cut'));
  }

  async putCut(cut: object): Promise<void> {
    await this.#ask('PUT', '/cut', cut);
  }

  /** One page of the ancestors of `upper`, highest first, and the cursor of the next page. */
  async ancestors(
    chainId: number,
    upper: BlockHash,
    { maxHeight, limit, lower, next = null }: BranchPart,
  ): Promise<{ blocks: Block[]; next: string | null }> {
    const query = new URLSearchParams({
      maxheight: String(maxHeight),
      ...(limit === undefined ? {} : { limit: String(limit) }),
      ...(next === null ? {} : { next }),
    });
    const bounds = { upper: [upper], lower: lower === undefined ? [] : [lower] };
    return readBranch(await this.#ask('POST', `/chain/${chainId}/header/branch?${query}`, bounds));
  }

  /** Those of the payloads that one answer holds. */
  async payloads(chainId: number, blocks: readonly Block[]): Promise<Map<string, Payload>> {
    const body = {
      hashes: blocks.map((block) => block.payloadHash),
      heights: blocks.map((block) => block.height),
    };
    const path = `/chain/${chainId}/payload`;
    const batch = await this.#ask('POST', `${path}/outputs/batch`, body).catch((error: unknown) => {
      if (error instanceof PeerError && error.status === 404) return undefined;
      throw error;
    });
    const all = batch === undefined ? await this.#oneByOne(path, body.hashes) : readPayloads(batch);
    return new Map(all.map((one) => [one.payloadHash, one]));
  }

  /** The peer port of a real node gives no batches. */
  async #oneByOne(path: string, hashes: readonly string[]): Promise<Payload[]> {
    const found: Payload[] = [];
    for (const hash of hashes)
      found.push(...readPayloads(`[${await this.#ask('GET', `${path}/${hash}/outputs`)}]`));
    return found;
  }

  /** Keys in the peer's pool, since `mark` if that is of this pool, and the mark to go on from. */
  async pending(chainId: number, mark: Mark | undefined): Promise<{ keys: string[]; mark: Mark }> {
    const query = mark ? `?nonce=${mark.nonce}&since=${mark.since}` : '';
    return readPending(await this.#ask('POST', `/chain/${chainId}/mempool/getPending${query}`));
  }

  /** JSON texts of those transactions that are still there. */
  async transactions(chainId: number, keys: readonly string[]): Promise<string[]> {
    return readFound(await this.#ask('POST', `/chain/${chainId}/mempool/lookup`, keys));
  }

  /** Asks again after a while when it is too often for the peer. */
  async #ask(method: Dispatcher.HttpMethod, path: string, body?: object): Promise<string> {
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
        [RULES_HEADER]: this.#rules,
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
