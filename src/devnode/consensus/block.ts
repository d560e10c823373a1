/** A block as the node holds it: header bytes and the hash that names it. Fields are read where they stand. */
import { blockHashOf } from '../../core/bytes/block-hash.js';
import { readUintLittleEndian, toBase64Url, viewOf } from '../../core/bytes/bytes.js';
import { type Adjacent, decodeHeader, HASH_BYTES, type HeaderFields } from '../../core/work/header.js';
import { type Target, targetFromBytes } from '../../core/work/target.js';

/** Base64Url text (43 characters) of a block's 32 hash bytes. */
export type BlockHash = string & { readonly __brand: 'BlockHash' };

/** Bytes of a header behind its adjacents: target, payload hash, chain id, weight, height, version, epoch, nonce. */
const TAIL_BYTES = 128;
const ADJACENTS_OFFSET = 50;
const ADJACENT_BYTES = 36;

export class Block {
  readonly hash: BlockHash;
  /** As hashed for proof of work; 286 bytes with three adjacents. */
  readonly header: Uint8Array;
  readonly #tail: number;

  constructor(hash: BlockHash, header: Uint8Array) {
    this.hash = hash;
    this.header = header;
    this.#tail = header.length - TAIL_BYTES;
  }

  /** Names the block by hashing its header. */
  static fromHeader(header: Uint8Array): Block {
    return new Block(toBlockHash(blockHashOf(header)), header);
  }

  get fields(): HeaderFields {
    return decodeHeader(this.header);
  }

  get parent(): BlockHash {
    return toBlockHash(this.header.subarray(16, 16 + HASH_BYTES));
  }

  /** Microseconds since the epoch. */
  get creationTime(): bigint {
    return viewOf(this.header).getBigInt64(8, true);
  }

  get adjacents(): readonly Adjacent[] {
    const count = (this.#tail - ADJACENTS_OFFSET) / ADJACENT_BYTES;
    return Array.from({ length: count }, (_, i) => {
      const offset = ADJACENTS_OFFSET + ADJACENT_BYTES * i;
      return {
        chainId: viewOf(this.header).getUint32(offset, true),
        hash: this.header.subarray(offset + 4, offset + ADJACENT_BYTES),
      };
    });
  }

  /** The block of an adjacent chain that this one refers to; `undefined` if that chain is not adjacent. */
  adjacentOn(chainId: number): BlockHash | undefined {
    const found = this.adjacents.find((adjacent) => adjacent.chainId === chainId);
    return found && toBlockHash(found.hash);
  }

  get target(): Target {
    return targetFromBytes(this.#at(0, 32));
  }

  get payloadHash(): string {
    return toBase64Url(this.#at(32, HASH_BYTES));
  }

  get chainId(): number {
    return viewOf(this.header).getUint32(this.#tail + 64, true);
  }

  get weight(): bigint {
    return readUintLittleEndian(this.#at(68, 32));
  }

  /** As JSON has it: 43 characters of the little-endian integer. */
  get weightText(): string {
    return toBase64Url(this.#at(68, 32));
  }

  get height(): number {
    return Number(viewOf(this.header).getBigUint64(this.#tail + 100, true));
  }

  get flags(): bigint {
    return viewOf(this.header).getBigUint64(0, true);
  }

  get nonce(): bigint {
    return viewOf(this.header).getBigUint64(this.#tail + 120, true);
  }

  get epochStart(): bigint {
    return viewOf(this.header).getBigInt64(this.#tail + 112, true);
  }

  #at(offset: number, length: number): Uint8Array {
    return this.header.subarray(this.#tail + offset, this.#tail + offset + length);
  }
}

export function toBlockHash(bytes: Uint8Array): BlockHash {
  return toBase64Url(bytes) as BlockHash;
}

export function blockHashBytes(hash: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hash, 'base64url'));
}

/** The 32 target bytes where they stand in a header. */
export function targetBytesOf(header: Uint8Array): Uint8Array {
  const offset = header.length - TAIL_BYTES;
  return header.subarray(offset, offset + 32);
}
