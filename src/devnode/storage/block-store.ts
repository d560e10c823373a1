/**
 * Where blocks are kept, orphans included, in LMDB: read where they stand in the mapped file, so a million headers cost no
 * start-up time and no memory of ours. Every call is synchronous: a block is in or out, never half way. A commit is in the
 * system's cache when the call returns: safe against kill -9 of the process.
 *
 * | table | key | value |
 * |---|---|---|
 * | headers | block hash (32) | header bytes |
 * | listing | chain id, height, block hash | nothing |
 * | payloads | chain id, payload hash (32) | payload as JSON |
 * | branches | chain id, height | block hash of the cut's branch there |
 * | written | chain id, hash of the key (32), height from the top, block hash | key and value as JSON |
 * | changes | block hash | keys of what it put, as JSON |
 * | cut | chain id | block hash of the head |
 *
 * Chain ids are 4 bytes and heights 8, big-endian, so that keys sort as listings do.
 */
import { hash as digest } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { viewOf } from '../../core/bytes/bytes.js';
import { type FolderLock, lockFolder } from '../../files/folder-lock.js';
import { makeFolder } from '../../files/make-folder.js';
import type { Write } from '../coin/accounts.js';
import { Block, type BlockHash, toBlockHash } from '../consensus/block.js';
import type { Payload } from '../mining/payload.js';

const BINARY = { keyEncoding: 'binary', encoding: 'binary' } as const;

/** Blocks that are there and cannot be opened. */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError';
  readonly code = 'data-directory';
}

const PLACE_BYTES = 12;
const NOTHING = Buffer.alloc(0);
/** More than any commit takes. */
const LEAST_FREE_MIB = 32;

type Table = Database<Buffer, Buffer>;

/** What was to be kept cannot be written; nothing of it was. Answered 507. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code = 'storage';
  readonly statusCode = 507;
}

export interface Written extends Write {
  readonly height: number;
  /** Of the block that put it. */
  readonly hash: BlockHash;
}

/** Where to begin a listing. Without a hash: before the first block of that height. */
interface Place {
  readonly height: number;
  readonly hash?: BlockHash;
}

/** From now on the branch of the cut has this block at this height, or none. */
export interface BranchChange {
  readonly chainId: number;
  readonly height: number;
  readonly hash: BlockHash | undefined;
}

export class BlockStore {
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #headers: Table;
  readonly #listing: Table;
  readonly #payloads: Table;
  readonly #branches: Table;
  readonly #written: Table;
  readonly #changes: Table;
  readonly #cut: Table;
  readonly #directory: string;
  readonly #isTemporary: boolean;
  readonly #lock: FolderLock | undefined;

  /**
   * Opens or begins a store in this directory; without one in a temporary folder, which is gone when the store is closed or
   * the process ends. Throws FileError `in-use` when another process has it.
   */
  constructor(directory?: string) {
    this.#isTemporary = directory === undefined;
    this.#directory = directory ?? mkdtempSync(join(tmpdir(), 'stratum-bridge-node-'));
    this.#lock = this.#isTemporary ? undefined : lockFolder(this.#directory, 'node');
    this.#root = openTables(this.#directory, this.#isTemporary);
    // The open files live on without a name, so that a killed process leaves none. Windows removes no open file.
    if (process.platform !== 'win32') this.#removeIfTemporary();
    const table = (name: string): Table => this.#root.openDB({ name, ...BINARY });
    this.#headers = table('headers');
    this.#listing = table('listing');
    this.#payloads = table('payloads');
    this.#branches = table('branches');
    this.#written = table('written');
    this.#changes = table('changes');
    this.#cut = table('cut');
  }

  /** Runs `work`, whose writes become durable together. Throws {@link StorageError} when they cannot. */
  atomically<T>(work: () => T): T {
    // Looked for before: a write that fails inside LMDB (lmdb 3.5.6) writes its words beyond their end, and may end the process.
    const { bavail, bsize } = statfsSync(dirname(this.#directory));
    if (bavail * bsize < LEAST_FREE_MIB * 2 ** 20)
      throw unwritable(`the disk has less than ${LEAST_FREE_MIB} MiB left`);
    try {
      return this.#root.transactionSync(work);
    } catch (cause) {
      if (!isOfTheSystem(cause)) throw cause;
      throw unwritable(`the disk says "${cause.message.split(':')[0]}"`, cause);
    }
  }

  block(hash: BlockHash): Block | undefined {
    const header = this.#headers.get(hashKey(hash));
    return header && new Block(hash, header);
  }

  payload(chainId: number, payloadHash: string): Payload | undefined {
    const json = this.#payloads.get(concat(uint32(chainId), hashKey(payloadHash)));
    return json && (JSON.parse(json.toString('utf8')) as Payload);
  }

  addBlock(block: Block, payload: Payload | undefined, writes: readonly Write[] = []): void {
    const hash = hashKey(block.hash);
    this.atomically(() => {
      this.#headers.putSync(hash, Buffer.from(block.header));
      this.#listing.putSync(concat(placeBytes(block.chainId, block.height), hash), NOTHING);
      if (payload) {
        const key = concat(uint32(block.chainId), hashKey(payload.payloadHash));
        this.#payloads.putSync(key, Buffer.from(JSON.stringify(payload)));
      }
      if (writes.length > 0)
        this.#changes.putSync(hash, Buffer.from(JSON.stringify(writes.map(({ key }) => key))));
      for (const { key, value } of writes) {
        const place = concat(writtenKey(block.chainId, key, block.height), hash);
        this.#written.putSync(place, Buffer.from(JSON.stringify([key, value])));
      }
    });
  }

  /** Forgets a block that is not on the branch of the cut, and its payload where no other block beside it has the same. */
  removeBlock(block: Block): void {
    const hash = hashKey(block.hash);
    this.atomically(() => {
      const key = concat(uint32(block.chainId), hashKey(block.payloadHash));
      if (!this.#sharesPayload(block)) this.#payloads.removeSync(key);
      for (const written of JSON.parse(this.#changes.get(hash)?.toString('utf8') ?? '[]') as string[])
        this.#written.removeSync(concat(writtenKey(block.chainId, written, block.height), hash));
      this.#changes.removeSync(hash);
      this.#headers.removeSync(hash);
      this.#listing.removeSync(concat(placeBytes(block.chainId, block.height), hash));
    });
  }

  /** Whether another block of the same chain and height has the same payload. */
  #sharesPayload(block: Block): boolean {
    for (const other of this.ascending(block.chainId, { height: block.height })) {
      if (other.height > block.height) return false;
      if (other.hash !== block.hash && other.payloadHash === block.payloadHash) return true;
    }
    return false;
  }

  /** What blocks of a chain, orphans included, put under a key: the highest first, from that height down. Lazy. */
  written(chainId: number, key: string, fromHeight: number): Iterable<Written> {
    const range = { start: writtenKey(chainId, key, fromHeight), end: writtenKey(chainId, key, -1) };
    return this.#writtenIn(range);
  }

  /** Everything that the blocks of a chain put. Lazy. */
  allWritten(chainId: number): Iterable<Written> {
    return this.#writtenIn({ start: uint32(chainId), end: uint32(chainId + 1) });
  }

  *#writtenIn(range: { readonly start: Buffer; readonly end: Buffer }): Iterable<Written> {
    for (const { key: place, value: json } of this.#written.getRange(range)) {
      const [key, value] = JSON.parse(json.toString('utf8')) as [string, string];
      const height = Number(TOP - viewOf(place).getBigUint64(HEIGHT_AT));
      yield { key, value, height, hash: toBlockHash(place.subarray(HEIGHT_AT + 8)) };
    }
  }

  /**
   * Blocks of a chain in ascending order of (height, hash bytes), beginning at that place.
   * Lazy: what is not asked for is not read.
   */
  *ascending(chainId: number, from: Place): Iterable<Block> {
    const start = placeBytes(chainId, from.height);
    const range = this.#listing.getKeys({
      start: from.hash ? concat(start, hashKey(from.hash)) : concat(start),
      end: placeBytes(chainId + 1, 0),
    });
    for (const key of range) {
      const block = this.block(toBlockHash(key.subarray(PLACE_BYTES)));
      if (block) yield block;
    }
  }

  /** Hash of the block of the current cut's branch at this height; an index, so that branches need no walk. */
  onBranch(chainId: number, height: number): BlockHash | undefined {
    const hash = this.#branches.get(placeBytes(chainId, height));
    return hash && toBlockHash(hash);
  }

  /** Heads of the cut as last set, by chain id; `undefined` in a new store. */
  cut(): ReadonlyMap<number, BlockHash> | undefined {
    const heads = new Map<number, BlockHash>();
    for (const { key, value } of this.#cut.getRange())
      heads.set(viewOf(key).getUint32(0), toBlockHash(value));
    return heads.size > 0 ? heads : undefined;
  }

  /** Sets the cut and, in the same step, what changed in the branches below it. */
  setCut(heads: ReadonlyMap<number, BlockHash>, changes: readonly BranchChange[]): void {
    this.atomically(() => {
      for (const { key } of [...this.#cut.getRange()]) {
        if (!heads.has(viewOf(key).getUint32(0))) this.#cut.removeSync(key);
      }
      for (const [chainId, hash] of heads) this.#cut.putSync(uint32(chainId), hashKey(hash));
      for (const { chainId, height, hash } of changes) {
        const key = placeBytes(chainId, height);
        if (hash === undefined) this.#branches.removeSync(key);
        else this.#branches.putSync(key, hashKey(hash));
      }
    });
  }

  /** Writes a copy, fit to be opened as a data directory, into an empty or new directory. */
  async backUpTo(directory: string): Promise<void> {
    makeFolder(directory);
    await this.#root.backup(directory, false);
  }

  async close(): Promise<void> {
    await this.#root.close();
    this.#lock?.release();
    this.#removeIfTemporary();
  }

  #removeIfTemporary(): void {
    if (this.#isTemporary) rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** LMDB hands on the numbers of the system, such as that of a full disk, and has some of its own. */
function isOfTheSystem(error: unknown): error is Error {
  return error instanceof Error && typeof (error as { code?: unknown }).code === 'number';
}

function unwritable(why: string, cause?: Error): StorageError {
  return new StorageError(
    `the block cannot be kept: ${why}; free some space and try again`,
    cause && { cause },
  );
}

function openTables(directory: string, noSync: boolean): RootDatabase<Buffer, Buffer> {
  try {
    return open({ path: directory, maxDbs: 8, noSubdir: false, noSync, ...BINARY });
  } catch (cause) {
    throw new DataDirectoryError(`the blocks in ${directory} cannot be opened: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function concat(...parts: Uint8Array[]): Buffer {
  return Buffer.concat(parts);
}

function hashKey(hash: string): Buffer {
  return Buffer.from(hash, 'base64url');
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const TOP = 2n ** 63n;
const HEIGHT_AT = 36;

/** Heights count down from the top, so that the highest comes first; -1 is behind all of them. */
function writtenKey(chainId: number, key: string, height: number): Buffer {
  const fromTop = Buffer.alloc(8);
  fromTop.writeBigUInt64BE(TOP - BigInt(height));
  return concat(uint32(chainId), digest('sha256', key, 'buffer'), fromTop);
}

function placeBytes(chainId: number, height: number): Buffer {
  const bytes = Buffer.alloc(PLACE_BYTES);
  bytes.writeUInt32BE(chainId, 0);
  bytes.writeBigUInt64BE(BigInt(height), 4);
  return bytes;
}
