/** What a node asks of another, by the client that everybody has. What comes is read by its models; whether it is true, the chains check. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PARAMETERS } from '../../chain/parameters.js';
import { type CutObject, NodeClient, NodeError, type PendingKeys } from '../../node-client/client.js';
import { Block, type BlockHash } from '../consensus/block.js';
import type { Payload } from '../mining/payload.js';
import { RULES_HEADER } from './peer-rules.js';

/** A peer says what cannot be. */
export class PeerError extends Error {
  override readonly name = 'PeerError';
  readonly code = 'peer';
}

export interface Head {
  readonly hash: BlockHash;
  readonly height: number;
}

/** Where the reading of a peer's pool stopped. */
export type Mark = PendingKeys['highwaterMark'];

interface BranchPart {
  readonly maxHeight: number;
  readonly limit?: number;
  /** Its ancestors and itself are left out; the peer has to know it. */
  readonly lower?: BlockHash | undefined;
  readonly next?: string | null;
}

const TIMEOUT_MS = 30_000;
/** Real nodes bound how often one address may ask. */
const THROTTLED = 429;
const THROTTLED_PAUSE_MS = 200;
const MOST_ATTEMPTS = 50;
const MOST_BYTES = 64 * 1024 * 1024;

interface PeerClientParts {
  /** Names the asking node, so that the asked one can tell whether their link is cut. */
  readonly origin: () => string;
  /** What both nodes must have in common, as `rulesText` writes it. */
  readonly rules: string;
  readonly signal: AbortSignal;
}

/** Throws {@link NodeError}, and {@link PeerError}. */
export class PeerClient {
  readonly #url: string;
  readonly #parts: PeerClientParts;
  #client: NodeClient | undefined;

  constructor(url: string, parts: PeerClientParts) {
    this.#url = url;
    this.#parts = parts;
  }

  async cut(): Promise<ReadonlyMap<number, Head>> {
    const { hashes } = await this.#ask((node) => node.maintenance.cut());
    return headsOf(hashes);
  }

  putCut(cut: Parameters<NodeClient['maintenance']['putCut']>[0]): Promise<void> {
    return this.#ask((node) => node.maintenance.putCut(cut));
  }

  /** One page of the ancestors of `upper`, highest first, and the cursor of the next page. */
  async ancestors(
    chainId: number,
    upper: BlockHash,
    { maxHeight, limit, lower, next }: BranchPart,
  ): Promise<{ blocks: Block[]; next: string | null }> {
    const bounds = { upper: [upper], lower: lower === undefined ? [] : [lower] };
    const window = { maxHeight, ...(limit === undefined ? {} : { limit }), ...(next ? { next } : {}) };
    const page = await this.#ask((node) => node.chain(chainId).encodedHeaders.branch(bounds, window));
    return { blocks: page.items.map(({ header }) => Block.fromHeader(header)), next: page.next };
  }

  /** Those of the payloads that one answer holds. */
  async payloads(chainId: number, blocks: readonly Block[]): Promise<Map<string, Payload>> {
    const keys = blocks.map(({ payloadHash: hash, height }) => ({ hash, height }));
    const batch = this.#ask((node) => node.chain(chainId).payloadsWithOutputs(keys));
    const all = await batch.catch(async (error: unknown) => {
      // The peer port of a real node gives no batches.
      if (!(error instanceof NodeError) || error.status !== 404) throw error;
      const found = [];
      for (const { hash, height } of keys)
        found.push(await this.#ask((node) => node.chain(chainId).payloadWithOutputs(hash, height)));
      return found;
    });
    return new Map(all.map(({ transactions, ...rest }) => [rest.payloadHash, payloadOf(transactions, rest)]));
  }

  /** Keys in the peer's pool, since `mark` if that is of this pool, and the mark to go on from. */
  async pending(chainId: number, mark: Mark | undefined): Promise<{ keys: readonly string[]; mark: Mark }> {
    const { hashes, highwaterMark } = await this.#ask((node) => node.chain(chainId).mempool.getPending(mark));
    return { keys: hashes, mark: highwaterMark };
  }

  /** JSON texts of those transactions that are still there. */
  async transactions(chainId: number, keys: readonly string[]): Promise<string[]> {
    const found = await this.#ask((node) => node.chain(chainId).mempool.lookup(keys));
    return found.flatMap((one) => (one.tag === 'Pending' ? one.contents : []));
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }

  /** Asks again after a while when it is too often for the peer. */
  async #ask<T>(ask: (node: NodeClient) => Promise<T>): Promise<T> {
    const { origin, rules, signal } = this.#parts;
    // The certificates of real nodes' peer ports are self-signed. Whoever answers, each block is checked.
    this.#client ??= NodeClient.at(this.#url, {
      ...{ tls: { insecure: true }, verify: false },
      headers: { 'x-peer-origin': origin(), [RULES_HEADER]: rules },
      policy: { timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES, signal },
    });
    for (let attempt = 1; ; attempt++) {
      try {
        return await ask(this.#client);
      } catch (error) {
        const isThrottled = error instanceof NodeError && error.status === THROTTLED;
        if (!isThrottled || attempt >= MOST_ATTEMPTS) throw error;
      }
      await sleep(THROTTLED_PAUSE_MS, undefined, { signal });
    }
  }
}

/** Heads by chain. Throws {@link PeerError} for a chain that no network has. */
export function headsOf(hashes: CutObject['hashes']): Map<number, Head> {
  const strange = Object.keys(hashes).find((id) => !PARAMETERS.chain.fits(id));
  if (strange !== undefined) throw new PeerError(`a cut with a chain ${strange.slice(0, 20)}`);
  return new Map(Object.entries(hashes).map(([id, head]) => [Number(id), head as Head]));
}

type Rest = Pick<Payload, 'minerData' | 'transactionsHash' | 'outputsHash' | 'payloadHash' | 'coinbase'>;

function payloadOf(transactions: readonly (readonly [string, string])[], rest: Rest): Payload {
  return {
    ...rest,
    transactions: transactions.map(([transaction]) => transaction),
    outputs: transactions.map(([, output]) => output),
  };
}
