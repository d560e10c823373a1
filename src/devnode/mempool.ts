/** Transactions that wait for a block, per chain (interface 4.5). They leave with the block that holds them. */
import type { Block } from './block.js';
import type { Chains, CutChange } from './chains.js';
import type { TransactionSource } from './mining.js';
import { MAX_TRANSACTIONS } from './payload.js';
import { requestKeyOf } from './request-key.js';

export interface Pending {
  readonly keys: readonly string[];
  /** Number of the transaction that came last; more may be asked for after it. */
  readonly highwaterMark: number;
}

export type Inserted =
  | { readonly outcome: 'inserted'; readonly count: number }
  /** `isFull`: it may come in later. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly isFull: boolean };

interface Waiting {
  readonly text: string;
  /** Rises with every transaction of this chain. */
  readonly number: number;
}

interface Pool {
  readonly waiting: Map<string, Waiting>;
  /** Keys in recent blocks of the branch, oldest first. */
  readonly included: Set<string>;
  lastNumber: number;
  revision: number;
}

/** Per chain; more is refused until blocks make room. */
const MOST_WAITING = 10_000;
const MOST_INCLUDED = 100_000;
const MOST_TEXT = 256 * 1024;
/** Of what waits on all chains together. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Characters of all transactions of one block. */
const MOST_BLOCK_TEXT = 1024 * 1024;

export class Mempool implements TransactionSource {
  readonly #pools = new Map<number, Pool>();
  readonly #chains: Chains;
  readonly #onInsert: (chainId: number) => void;
  readonly #mostBytes: number;
  /** Of all texts that wait. */
  #bytes = 0;
  /** Names this pool, a 64-bit integer: numbers of another start of the node mean nothing here. */
  readonly nonce: bigint;

  constructor(chains: Chains, nonce: bigint, onInsert: (chainId: number) => void, mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
    this.#chains = chains;
    this.nonce = nonce;
    this.#onInsert = onInsert;
    chains.events.on('cut', (change) => this.#follow(change));
  }

  #pool(chainId: number): Pool {
    const pool = this.#pools.get(chainId) ?? {
      waiting: new Map(),
      included: new Set(),
      lastNumber: 0,
      revision: 0,
    };
    this.#pools.set(chainId, pool);
    return pool;
  }

  revisionOf(chainId: number): number {
    return this.#pool(chainId).revision;
  }

  transactionsFor(chainId: number): readonly string[] {
    const texts: string[] = [];
    let room = MOST_BLOCK_TEXT;
    for (const { text } of this.#pool(chainId).waiting.values()) {
      room -= text.length;
      if (texts.length >= MAX_TRANSACTIONS || room < 0) break;
      texts.push(text);
    }
    return texts;
  }

  /** All or none: the first text that is no transaction refuses the whole list. Known ones are passed over. */
  insert(chainId: number, texts: readonly string[]): Inserted {
    const pool = this.#pool(chainId);
    const fresh = new Map<string, string>();
    for (const [i, text] of texts.entries()) {
      const key = text.length <= MOST_TEXT ? requestKeyOf(text) : undefined;
      if (key === undefined)
        return { outcome: 'refused', reason: `transaction ${i} of the list ${WANTED}`, isFull: false };
      if (!pool.waiting.has(key) && !pool.included.has(key)) fresh.set(key, text);
    }
    if (pool.waiting.size + fresh.size > MOST_WAITING) {
      return {
        outcome: 'refused',
        reason: `the pool of chain ${chainId} is full (${MOST_WAITING} transactions)`,
        isFull: true,
      };
    }
    const bytes = [...fresh.values()].reduce((sum, text) => sum + bytesOf(text), 0);
    if (this.#bytes + bytes > this.#mostBytes) {
      return {
        outcome: 'refused',
        reason: `the pool is full (${this.#mostBytes} bytes of all chains)`,
        isFull: true,
      };
    }
    for (const [key, text] of fresh) this.#put(pool, key, text);
    if (fresh.size > 0) this.#onInsert(chainId);
    return { outcome: 'inserted', count: fresh.size };
  }

  #put(pool: Pool, key: string, text: string): void {
    pool.lastNumber++;
    pool.revision++;
    pool.waiting.set(key, { text, number: pool.lastNumber });
    this.#bytes += bytesOf(text);
  }

  /** Keys of the transactions that came after number `since`. */
  pending(chainId: number, since: number): Pending {
    const pool = this.#pool(chainId);
    const keys = [...pool.waiting].filter(([, { number }]) => number > since).map(([key]) => key);
    return { keys, highwaterMark: pool.lastNumber };
  }

  /** JSON text of a waiting transaction. */
  lookup(chainId: number, key: string): string | undefined {
    return this.#pool(chainId).waiting.get(key)?.text;
  }

  #follow({ joined, left }: CutChange): void {
    for (const block of left)
      for (const [key, text] of this.#transactionsOf(block)) this.#comeBack(block, key, text);
    for (const block of joined)
      for (const [key] of this.#transactionsOf(block)) this.#leave(block.chainId, key);
  }

  #comeBack(block: Block, key: string, text: string): void {
    const pool = this.#pool(block.chainId);
    pool.included.delete(key);
    if (!pool.waiting.has(key)) this.#put(pool, key, text);
  }

  #leave(chainId: number, key: string): void {
    const pool = this.#pool(chainId);
    pool.included.add(key);
    for (const oldest of pool.included) {
      if (pool.included.size <= MOST_INCLUDED) break;
      pool.included.delete(oldest);
    }
    const waiting = pool.waiting.get(key);
    if (!waiting) return;
    pool.waiting.delete(key);
    pool.revision++;
    this.#bytes -= bytesOf(waiting.text);
  }

  #transactionsOf(block: Block): [key: string, text: string][] {
    const payload = this.#chains.store.payload(block.chainId, block.payloadHash);
    return (payload?.transactions ?? []).flatMap((encoded) => {
      const text = Buffer.from(encoded, 'base64url').toString('utf8');
      const key = requestKeyOf(text);
      return key === undefined ? [] : [[key, text] as [string, string]];
    });
  }
}

/** What a text takes in memory at most. */
function bytesOf(text: string): number {
  return 2 * text.length;
}

const WANTED =
  'must be the JSON text of a signed transaction: an object with the text "cmd" and, if given, its hash in "hash"';
