/**
 * Mining: hands out work, takes solutions, says when there is new work (interface 4.6; protocol notes B).
 *
 * The node remembers each payload it handed out by its hash alone. A solution names that hash, so the entry is what a
 * solution needs; it goes with the first solution, good or bad, or when nobody asked for it any more.
 */
import { EventEmitter } from 'node:events';
import type { Dialect } from '../../chain/dialects.js';
import { bytesEqual } from '../../core/bytes/bytes.js';
import type { Log } from '../../core/names/log.js';
import { meetsTarget } from '../../core/work/target.js';
import type { NodeClock } from '../clock.js';
import { Block, targetBytesOf } from '../consensus/block.js';
import type { Added, Chains, CutChange } from '../consensus/chains.js';
import type { Cut } from '../consensus/cut.js';
import { proofOfWorkHash, readHeader } from '../consensus/header-rules.js';
import type { NodeSettings } from '../settings.js';
import type { Mempool } from './mempool.js';
import { type Miner, minerDataOf, minerOf, type Payload } from './payload.js';

interface MiningParts {
  readonly chains: Chains;
  readonly transactions: Pick<Mempool, 'revisionOf' | 'transactionsFor' | 'refused'>;
  readonly clock: NodeClock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly settings: Pick<NodeSettings, 'miners' | 'miningLimit' | 'payloadLifetime' | 'payloadRefresh'>;
  readonly dialect: Pick<Dialect, 'judgesBeforeAnswer' | 'dropsStaleWork'>;
}

type WorkAnswer =
  | { readonly outcome: 'work'; readonly bytes: Uint8Array }
  /** No chain can be extended now. */
  | { readonly outcome: 'wait' }
  /** `notPayable`: no coinbase can be to this miner. */
  | { readonly outcome: 'unauthorized' | 'tooMany' | 'notPayable'; readonly reason: string };

type SolvedAnswer =
  | { readonly outcome: 'joined' | 'orphan'; readonly block: Block }
  | {
      readonly outcome: 'malformed' | 'noPayload' | 'badWork' | 'notTaken';
      readonly reason: string;
    };

export interface NewWork {
  /** The chains that it concerns: earlier work is void, there is new one, or both. */
  readonly chains: ReadonlySet<number>;
  /** Those of them whose earlier work is void. */
  readonly stale: ReadonlySet<number>;
  /** `refreshed`: the same parents with other transactions. */
  readonly kind: 'newCut' | 'refreshed';
}

interface Remembered {
  readonly payload: Payload;
  readonly miner: Miner;
  readonly primeKey: string;
  readonly chainId: number;
  readonly parent: string;
  readonly revision: number;
  readonly madeAtMicros: bigint;
  lastHandedAtMicros: bigint;
}

/** As real nodes do; sooner where payloads live shorter. */
const SWEEP_EVERY_MICROS = 30_000_000n;
const SWEEPS_A_LIFETIME = 10;

export class Mining {
  /** `arrived`: transactions have come to a chain; its work changes later. */
  readonly events = new EventEmitter<{ work: [work: NewWork]; arrived: [chainId: number] }>();
  readonly #parts: MiningParts;
  readonly #remembered = new Map<string, Remembered>();
  /** Per chain and miner what was handed out last. */
  readonly #primed = new Map<string, Remembered>();
  /** Per chain and miner the parent of a solution that was refused after it had been answered. */
  readonly #refused = new Map<string, { readonly chainId: number; readonly parent: string }>();
  /** Per chain the announcement of refreshed work that is due. */
  readonly #refreshes = new Map<number, NodeJS.Timeout>();
  readonly #authorized: ReadonlySet<string>;
  #sweptAtMicros: bigint;

  constructor(parts: MiningParts) {
    this.#parts = parts;
    this.#authorized = new Set(parts.settings.miners.map((key) => minerDataOf(minerOf(key))));
    this.#sweptAtMicros = parts.clock.nowMicros();
    this.events.setMaxListeners(0);
    parts.chains.events.on('cut', (change) => this.#announce(change));
  }

  /** Payloads remembered now. */
  get remembered(): number {
    return this.#remembered.size;
  }

  /** Work for a miner; `chainHint` is tried first, and is only a hint. */
  work(miner: Miner, chainHint: number | undefined): WorkAnswer {
    this.#sweep();
    const { miningLimit } = this.#parts.settings;
    if (this.#remembered.size > miningLimit && !this.#makeRoom()) {
      return { outcome: 'tooMany', reason: 'Too many work requests' };
    }
    if (this.#authorized.size > 0 && !this.#authorized.has(minerDataOf(miner))) {
      return { outcome: 'unauthorized', reason: `Unauthorized Miner: ${miner.account}` };
    }
    const chainId = this.#chooseChain(chainHint, minerDataOf(miner));
    const header = chainId === undefined ? undefined : this.#headerFor(chainId, miner);
    if (chainId === undefined || header === undefined) return { outcome: 'wait' };
    if (typeof header === 'string') return { outcome: 'notPayable', reason: header };
    return { outcome: 'work', bytes: workBytes(chainId, header) };
  }

  /** The hint if that chain can be mined, else a random one of those that can. */
  #chooseChain(hint: number | undefined, minerData: string): number | undefined {
    const { chains, random } = this.#parts;
    const canMine = (id: number): boolean =>
      this.isOpen(id) && this.#refused.get(`${id} ${minerData}`)?.parent !== chains.head(id)?.hash;
    if (hint !== undefined && canMine(hint)) return hint;
    const open = chains.cut.chainIds.filter(canMine);
    return open[Math.floor(random() * open.length)];
  }

  /** Header of the next block of a chain with what waits now; `undefined` while it must wait, a sentence where it cannot pay. */
  ownWork(chainId: number, miner: Miner): Uint8Array | string | undefined {
    this.#primed.delete(`${chainId} ${minerDataOf(miner)}`);
    return this.isOpen(chainId) ? this.#headerFor(chainId, miner) : undefined;
  }

  /** Whether the chain can be extended now. */
  isOpen(chainId: number): boolean {
    return this.#parts.chains.cut.adjacentParents(chainId) !== undefined;
  }

  #headerFor(chainId: number, miner: Miner): Uint8Array | string | undefined {
    const entry = this.#entryFor(chainId, miner);
    if (typeof entry === 'string') return entry;
    return entry && this.#parts.chains.nextHeader(chainId, entry.payload.payloadHash);
  }

  /** The payload of the last call if parent and transactions are the same, else a new one. */
  #entryFor(chainId: number, miner: Miner): Remembered | string | undefined {
    const { chains, clock, transactions } = this.#parts;
    const head = chains.head(chainId);
    if (head === undefined) return undefined;
    const primeKey = `${chainId} ${minerDataOf(miner)}`;
    const revision = transactions.revisionOf(chainId);
    const last = this.#primed.get(primeKey);
    const now = clock.nowMicros();
    if (last?.parent === head.hash && (last.revision === revision || this.#isRecent(last, now))) {
      last.lastHandedAtMicros = now;
      return last;
    }
    const payload = this.#build(head, miner);
    if (typeof payload === 'string') return payload;
    const entry = {
      payload,
      miner,
      primeKey,
      chainId,
      parent: head.hash,
      revision,
      madeAtMicros: now,
      lastHandedAtMicros: now,
    };
    this.#remembered.set(payload.payloadHash, entry);
    this.#primed.set(primeKey, entry);
    return entry;
  }

  /** The payload of a block on top of `parent`; a sentence where it cannot pay this miner. */
  #build(parent: Block, miner: Miner): Payload | string {
    const { chains, transactions } = this.#parts;
    const run = chains.beginBlock(parent, miner, chains.timeAbove([parent]));
    if (typeof run === 'string') return run;
    for (const text of transactions.transactionsFor(parent.chainId)) {
      if (run.fits(text) && run.take(text) !== undefined) transactions.refused(parent.chainId, text);
    }
    return run.payload();
  }

  #isRecent(entry: Remembered, nowMicros: bigint): boolean {
    return nowMicros - entry.madeAtMicros < BigInt(this.#parts.settings.payloadRefresh) * 1000n;
  }

  /** Takes a header with its nonce set. The payload's entry is gone afterwards, whatever the outcome. Throws StorageError. */
  solved(header: Uint8Array): SolvedAnswer {
    this.#sweep();
    const { chains, log } = this.#parts;
    const fields = readHeader(chains.network, header);
    if (typeof fields === 'string') return { outcome: 'malformed', reason: fields };
    const block = Block.fromHeader(header);
    const entry = this.#remembered.get(block.payloadHash);
    if (entry === undefined) return { outcome: 'noPayload', reason: 'No associated Payload' };
    this.#forget(entry);
    if (chains.network.proofOfWork && !meetsTarget(proofOfWorkHash(header), fields.target)) {
      return { outcome: 'badWork', reason: 'Invalid POW hash' };
    }
    const added = this.#add(header, entry);
    const about = {
      chainId: block.chainId,
      height: block.height,
      hash: block.hash,
      account: entry.miner.account,
    };
    if (added.outcome === 'refused') {
      log.warn({ ...about, reason: added.reason }, 'solution not taken');
      this.#noteRefused(block, entry);
      return { outcome: 'notTaken', reason: added.reason };
    }
    if (added.outcome === 'joined') {
      log.debug(about, 'block mined');
      return { outcome: 'joined', block };
    }
    log.info(about, 'solution is an orphan: its parent is no longer the head of its chain');
    return { outcome: 'orphan', block };
  }

  /** A solution that cannot be written may come again: its payload is kept for that. */
  #add(header: Uint8Array, entry: Remembered): Added {
    try {
      return this.#parts.chains.add(header, entry.payload);
    } catch (error) {
      this.#remembered.set(entry.payload.payloadHash, entry);
      throw error;
    }
  }

  #noteRefused({ chainId }: Block, { primeKey, parent }: Remembered): void {
    const { chains, dialect } = this.#parts;
    // Real nodes, which refuse it after they have answered, give him no more work until somebody else's block is there.
    if (dialect.judgesBeforeAnswer || chains.head(chainId)?.hash !== parent) return;
    this.#refused.set(primeKey, { chainId, parent });
  }

  /** Transactions arrived: once the work of this chain may change, says so. */
  transactionsArrived(chainId: number): void {
    this.events.emit('arrived', chainId);
    if (this.#refreshes.has(chainId)) return;
    const timer = setTimeout(() => {
      this.#refreshes.delete(chainId);
      this.events.emit('work', { chains: new Set([chainId]), stale: new Set(), kind: 'refreshed' });
    }, this.#parts.settings.payloadRefresh);
    this.#refreshes.set(chainId, timer);
  }

  close(): void {
    for (const timer of this.#refreshes.values()) clearTimeout(timer);
    this.#refreshes.clear();
  }

  #forget(entry: Remembered): void {
    this.#remembered.delete(entry.payload.payloadHash);
    if (this.#primed.get(entry.primeKey) === entry) this.#primed.delete(entry.primeKey);
  }

  #sweep(): void {
    const { clock, settings } = this.#parts;
    const now = clock.nowMicros();
    const lifetime = BigInt(Math.round(settings.payloadLifetime * 1000));
    const every = lifetime / BigInt(SWEEPS_A_LIFETIME);
    if (now - this.#sweptAtMicros < (every < SWEEP_EVERY_MICROS ? every : SWEEP_EVERY_MICROS)) return;
    this.#sweptAtMicros = now;
    const oldest = now - lifetime;
    for (const entry of this.#remembered.values()) {
      if (entry.lastHandedAtMicros < oldest) this.#forget(entry);
    }
  }

  #makeRoom(): boolean {
    const { chains, settings, dialect } = this.#parts;
    if (!dialect.dropsStaleWork) return false;
    for (const entry of this.#remembered.values()) {
      if (chains.head(entry.chainId)?.hash !== entry.parent) this.#forget(entry);
    }
    return this.#remembered.size <= settings.miningLimit;
  }

  /** Chains with another head or other adjacent parents, and chains that can be mined now and could not before. */
  #announce({ before, after }: CutChange): void {
    const changed = new Set<number>();
    const stale = new Set<number>();
    for (const [chainId, head] of after.heads) {
      const had = before.adjacentParents(chainId);
      const hasOthers = !sameParents(had, after.adjacentParents(chainId));
      if (before.heads.get(chainId)?.hash !== head.hash || (had && hasOthers)) stale.add(chainId);
      if (hasOthers || stale.has(chainId)) changed.add(chainId);
    }
    for (const [key, { chainId, parent }] of this.#refused) {
      if (after.heads.get(chainId)?.hash !== parent) this.#refused.delete(key);
    }
    if (changed.size > 0) this.events.emit('work', { chains: changed, stale, kind: 'newCut' });
  }
}

type Parents = ReturnType<Cut['adjacentParents']>;

/** After a reorganisation a neighbour may have another block at the same height. */
function sameParents(before: Parents, after: Parents): boolean {
  if (!before || !after) return before === after;
  return before.every(({ hash }, i) => bytesEqual(hash, after[i]?.hash ?? new Uint8Array(0)));
}

/** chain id (4 bytes) + target (32) + header. */
function workBytes(chainId: number, header: Uint8Array): Uint8Array {
  const target = targetBytesOf(header);
  const bytes = new Uint8Array(4 + target.length + header.length);
  new DataView(bytes.buffer).setUint32(0, chainId, true);
  bytes.set(target, 4);
  bytes.set(header, 4 + target.length);
  return bytes;
}
