/**
 * Transactions that wait for a block, per chain (interface 4.5): of commands those that could be in the next one, dearest
 * first. They leave with the block that holds them, and when their time is over.
 */

import { compareDecimals, type Decimal } from '../../core/money/decimal.js';
import type { NodeClock } from '../clock.js';
import type { Command } from '../coin/command.js';
import type { Transaction } from '../coin/commands.js';
import type { Block } from '../consensus/block.js';
import type { Chains, CutChange } from '../consensus/chains.js';
import type { Faults } from '../orders/faults.js';
import { secondsOf } from './block-run.js';
import { MAX_TRANSACTIONS, textOf } from './payload.js';
import { PoolChecks } from './pool-checks.js';

interface Pending {
  readonly keys: readonly string[];
  /** Number of the transaction that came last; more may be asked for after it. */
  readonly highwaterMark: number;
}

/** Why a list is not taken. */
interface Refusal {
  readonly reason: string;
  /** It may come in later. */
  readonly isFull: boolean;
}

/** Why a command of a list is not taken, in the words of real nodes. */
interface SendFault {
  readonly index: number;
  readonly hash: string;
  readonly reason: string;
}

interface MempoolParts {
  readonly chains: Chains;
  readonly clock: NodeClock;
  /** Names this pool, a 64-bit integer: numbers of another start of the node mean nothing here. */
  readonly nonce: bigint;
  readonly onInsert: (chainId: number) => void;
  readonly faults: Pick<Faults, 'state'>;
}

interface Waiting {
  readonly text: string;
  /** Rises with every transaction of this chain. */
  readonly number: number;
  readonly gasPrice: Decimal;
  /** Seconds since the epoch. */
  readonly expires: number;
}

interface Pool {
  readonly waiting: Map<string, Waiting>;
  readonly checks: PoolChecks;
  lastNumber: number;
  revision: number;
}

/** Per chain; more is refused until blocks make room. */
const MOST_WAITING = 10_000;
const MOST_TEXT = 256 * 1024;
/** Of what waits on all chains together. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Characters of all transactions of one block. */
const MOST_BLOCK_TEXT = 1024 * 1024;
/** Transactions that a block is made of, if the first ones do not fit. */
const MOST_CANDIDATES = 2 * MAX_TRANSACTIONS;

export class Mempool {
  readonly #pools = new Map<number, Pool>();
  readonly #parts: MempoolParts;
  readonly #mostBytes: number;
  /** Of all texts that wait. */
  #bytes = 0;

  constructor(parts: MempoolParts, mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
    this.#parts = parts;
    parts.chains.events.on('cut', (change) => this.#follow(change));
  }

  get nonce(): bigint {
    return this.#parts.nonce;
  }

  /** What may be in the next blocks is another. */
  refresh(): void {
    for (const [chainId, pool] of this.#pools) this.#changed(chainId, pool);
  }

  /** Forgets what waits, as a restart does. Returns how many that were. */
  forget(): number {
    let count = 0;
    for (const [chainId, pool] of this.#pools) {
      count += pool.waiting.size;
      for (const key of pool.waiting.keys()) this.#remove(pool, key);
      this.#changed(chainId, pool);
    }
    return count;
  }

  #changed(chainId: number, pool: Pool): void {
    pool.revision++;
    this.#parts.onInsert(chainId);
  }

  #pool(chainId: number): Pool {
    const pool = this.#pools.get(chainId) ?? {
      waiting: new Map(),
      checks: new PoolChecks(this.#parts.chains, this.#parts.clock, chainId),
      lastNumber: 0,
      revision: 0,
    };
    this.#pools.set(chainId, pool);
    return pool;
  }

  #now(): number {
    return secondsOf(this.#parts.clock.nowMicros());
  }

  /** Changes whenever `transactionsFor` may give others. */
  revisionOf(chainId: number): number {
    return this.#pool(chainId).revision;
  }

  /** JSON texts for the next block, the dearest first, and of one price the oldest. */
  transactionsFor(chainId: number): readonly string[] {
    if (this.#parts.faults.state.holdTransactions) return [];
    const pool = this.#pool(chainId);
    this.#dropExpired(pool);
    const ordered = [...pool.waiting.values()].sort(
      (a, b) => compareDecimals(b.gasPrice, a.gasPrice) || a.number - b.number,
    );
    const texts: string[] = [];
    let room = MOST_BLOCK_TEXT;
    for (const { text } of ordered) {
      room -= text.length;
      if (texts.length >= MOST_CANDIDATES || room < 0) break;
      texts.push(text);
    }
    return texts;
  }

  /** One of them cannot be in the next block, nor in a later one. */
  refused(chainId: number, text: string): void {
    const transaction = this.#parts.chains.commands.read(text);
    if (transaction === undefined) return;
    const pool = this.#pool(chainId);
    this.#remove(pool, transaction.key);
    pool.checks.noteBad(transaction.key, expiryOf(transaction));
  }

  isBad(chainId: number, key: string): boolean {
    return this.#pool(chainId).checks.isBad(key);
  }

  /**
   * All or none: the first text that is no transaction refuses the whole list. Known ones are passed over, and so are
   * commands that could not be in a block, as on real nodes.
   */
  insert(chainId: number, texts: readonly string[]): Refusal | undefined {
    const pool = this.#pool(chainId);
    const fresh = new Map<string, Transaction>();
    for (const [i, text] of texts.entries()) {
      const transaction = text.length <= MOST_TEXT ? this.#parts.chains.commands.read(text) : undefined;
      if (transaction === undefined)
        return { reason: `transaction ${i} of the list ${WANTED}`, isFull: false };
      if (isNews(pool, transaction)) fresh.set(transaction.key, transaction);
    }
    const reason = this.#take(chainId, [...fresh.values()]);
    return reason === undefined ? undefined : { reason, isFull: true };
  }

  /** All or none: nothing comes back where every command was taken, or is forgotten since the pool is full. */
  send(chainId: number, sent: readonly Command[]): SendFault[] {
    const pool = this.#pool(chainId);
    const commands = sent.map((command) => this.#known(command));
    const faults = commands.flatMap((command, index) => {
      const waits = pool.waiting.get(command.hash)?.text === command.text;
      const reason = waits ? undefined : pool.checks.faultOf(command);
      return reason === undefined ? [] : [{ index, hash: command.hash, reason }];
    });
    if (faults.length > 0) return faults;
    const fresh = commands.filter(({ hash }) => !pool.waiting.has(hash));
    this.#take(
      chainId,
      fresh.map((command) => ({ kind: 'command', key: command.hash, text: command.text, command })),
    );
    return [];
  }

  /** The same as it is remembered, so that its signatures are verified once. */
  #known(command: Command): Command {
    const read = this.#parts.chains.commands.read(command.text);
    return read?.kind === 'command' ? read.command : command;
  }

  /** Why there is no room. */
  #take(chainId: number, fresh: readonly Transaction[]): string | undefined {
    const pool = this.#pool(chainId);
    this.#dropExpired(pool);
    if (pool.waiting.size + fresh.length > MOST_WAITING)
      return `the pool of chain ${chainId} is full (${MOST_WAITING} transactions)`;
    const bytes = fresh.reduce((sum, { text }) => sum + bytesOf(text), 0);
    if (this.#bytes + bytes > this.#mostBytes)
      return `the pool is full (${this.#mostBytes} bytes of all chains)`;
    if (this.#parts.faults.state.dropTransactions) return undefined;
    for (const transaction of fresh) this.#put(pool, transaction);
    if (fresh.length > 0) this.#parts.onInsert(chainId);
    return undefined;
  }

  #put(pool: Pool, transaction: Transaction): void {
    const { key, text } = transaction;
    if (pool.waiting.has(key)) return;
    pool.lastNumber++;
    pool.revision++;
    const gasPrice = transaction.kind === 'command' ? transaction.command.meta.gasPrice : FREE;
    pool.waiting.set(key, { text, number: pool.lastNumber, gasPrice, expires: expiryOf(transaction) });
    this.#bytes += bytesOf(text);
  }

  /** All that waits, per chain in the order in which it came. */
  texts(): ReadonlyMap<number, readonly string[]> {
    return new Map(
      [...this.#pools].map(([id, { waiting }]) => [id, [...waiting.values()].map((one) => one.text)]),
    );
  }

  /** Exactly these wait from now on. They have come anew, so that peers and miners hear of them. */
  replaceWith(texts: ReadonlyMap<number, readonly string[]>): void {
    for (const [chainId, pool] of this.#pools) {
      for (const key of pool.waiting.keys()) this.#remove(pool, key);
      // What was in blocks since, or could not be, is news again.
      pool.checks.forget();
      for (const text of texts.get(chainId) ?? []) {
        const transaction = this.#parts.chains.commands.read(text);
        if (transaction) this.#put(pool, transaction);
      }
      if (pool.waiting.size > 0) this.#parts.onInsert(chainId);
    }
  }

  #remove(pool: Pool, key: string): void {
    const waiting = pool.waiting.get(key);
    if (!waiting) return;
    pool.waiting.delete(key);
    pool.revision++;
    this.#bytes -= bytesOf(waiting.text);
  }

  #dropExpired(pool: Pool): void {
    const now = this.#now();
    for (const [key, { expires }] of pool.waiting) if (expires <= now) this.#remove(pool, key);
  }

  /** Keys of the transactions that came after number `since`. */
  pending(chainId: number, since: number): Pending {
    const pool = this.#pool(chainId);
    this.#dropExpired(pool);
    const keys = [...pool.waiting].filter(([, { number }]) => number > since).map(([key]) => key);
    return { keys, highwaterMark: pool.lastNumber };
  }

  /** JSON text of a waiting transaction. */
  lookup(chainId: number, key: string): string | undefined {
    const waiting = this.#pool(chainId).waiting.get(key);
    return waiting && waiting.expires > this.#now() ? waiting.text : undefined;
  }

  #follow({ joined, left }: CutChange): void {
    for (const block of left) {
      const pool = this.#pool(block.chainId);
      const now = this.#now();
      // Unchecked, as real nodes do it: what cannot be in the next block is found out then.
      for (const transaction of this.#transactionsOf(block))
        if (expiryOf(transaction) > now) this.#put(pool, transaction);
    }
    for (const block of joined) {
      const pool = this.#pool(block.chainId);
      for (const transaction of this.#transactionsOf(block)) {
        pool.checks.noteIncluded(transaction.key, expiryOf(transaction));
        this.#remove(pool, transaction.key);
      }
    }
  }

  #transactionsOf(block: Block): Transaction[] {
    const { store, commands } = this.#parts.chains;
    const payload = store.payload(block.chainId, block.payloadHash);
    return (payload?.transactions ?? []).flatMap((encoded) => commands.read(textOf(encoded)) ?? []);
  }
}

function isNews(pool: Pool, transaction: Transaction): boolean {
  if (pool.waiting.has(transaction.key) || pool.checks.wasIncluded(transaction.key)) return false;
  return transaction.kind === 'inert' || pool.checks.faultOf(transaction.command) === undefined;
}

const FREE: Decimal = { mantissa: 0n, places: 0 };

/** In seconds since the epoch; what is no command never expires. */
function expiryOf(transaction: Transaction): number {
  if (transaction.kind === 'inert') return Number.POSITIVE_INFINITY;
  const { creationTime, ttl } = transaction.command.meta;
  return creationTime + ttl;
}

/** What a text takes in memory at most. */
function bytesOf(text: string): number {
  return 2 * text.length;
}

const WANTED =
  'must be the JSON text of a signed transaction: an object with the text "cmd" and, if given, its hash in "hash"';
