/**
 * Records of the share log, one after the other, all numbers little-endian:
 *
 *     magic (4 bytes), CRC-32 of all that follows (4), kind (1), length of the body (2), body
 *
 *     segment   version u16, log's UUID 16 bytes, number u32
 *     name      index u32, bytes of the account u16, account and rig in UTF-8
 *     share     index of its name u32, accepted at f64 (ms), expected u64 (10^-18 blocks), best f64, difficulty u64 or 32 bytes
 *     solution  what {@link solutionText} makes of one, in UTF-8
 *     cut       number f64, watermark f64 (ms), shares in all f64, ends u8, from and to (segment u32, offset u32 each), work 40 bytes, shares f64 and work 40 bytes of it alone
 *
 * The magic holds bytes that no UTF-8 has, so that no name of a rig looks like a record. Behind a damaged record the next
 * whole one is found by it.
 */
import type { Name } from '../../core/names/names.js';
import { crc32 } from './crc32.js';

export const FORMAT_VERSION = 1;
const MAGIC = 0xff4c53f8;
const HEAD_BYTES = 11;
const HEAD_BODY_BYTES = 22;
const CUT_BODY_BYTES = 25 + 16 + 40 + 8 + 40;

/** Of two copies, as a log has them. */
export const CUT_PAIR_BYTES = 2 * (HEAD_BYTES + CUT_BODY_BYTES);

const KIND = { segment: 1, name: 2, share: 3, cut: 4, solution: 5 } as const;
const NARROW_SHARE = 36;
const WIDE_SHARE = 60;
const MAX_U64 = 2n ** 64n - 1n;

export interface SegmentHead {
  readonly version: number;
  readonly log: string;
  readonly number: number;
}

export interface Position {
  readonly segment: number;
  readonly offset: number;
}

/** Names what lies between two places of the log for ever: an entry. */
export interface Cut {
  /** Counts the cuts of this log from 1. */
  readonly number: number;
  /** Whatever was accepted before this time lies before the cut. */
  readonly watermarkMs: number;
  /** Shares between the two places. */
  readonly ownShares: number;
  readonly ownWork: bigint;
  /** Accepted by this log in all, up to this cut. */
  readonly shares: number;
  readonly work: bigint;
  /** The last one of this log. */
  readonly ends: boolean;
  readonly from: Position;
  readonly to: Position;
}

export interface LoggedShare {
  /** Index of the name in its segment. */
  readonly name: number;
  readonly acceptedAtMs: number;
  readonly difficulty: bigint;
  /** Blocks expected, in units of 10^-18, at most one block. */
  readonly expected: bigint;
  /** The difficulty that its hash would meet. */
  readonly best: number;
}

/** Of a record of it, where all is ASCII. */
export function nameBytes({ account, rig }: Name): number {
  return HEAD_BYTES + 6 + account.length + rig.length;
}

/** Writes records one after the other into one buffer that grows. */
export class RecordWriter {
  #bytes: Buffer;
  #view: DataView;
  length = 0;

  constructor(bytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(bytes);
    this.#view = viewOf(this.#bytes);
  }

  /** Good until the next record is written. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  segment({ version, log, number }: SegmentHead): void {
    const at = this.#begin(HEAD_BODY_BYTES);
    this.#view.setUint16(at, version, true);
    this.#bytes.write(log.replaceAll('-', ''), at + 2, 'hex');
    this.#view.setUint32(at + 18, number, true);
    this.#end(KIND.segment, at + HEAD_BODY_BYTES);
  }

  name(index: number, account: string, rig: string): void {
    const [accountBytes, rigBytes] = [Buffer.from(account), Buffer.from(rig)];
    const length = 6 + accountBytes.length + rigBytes.length;
    const at = this.#begin(length);
    this.#view.setUint32(at, index, true);
    this.#view.setUint16(at + 4, accountBytes.length, true);
    accountBytes.copy(this.#bytes, at + 6);
    rigBytes.copy(this.#bytes, at + 6 + accountBytes.length);
    this.#end(KIND.name, at + length);
  }

  share(name: number, acceptedAtMs: number, difficulty: bigint, expected: bigint, best: number): void {
    const at = this.#begin(WIDE_SHARE);
    const view = this.#view;
    view.setUint32(at, name, true);
    view.setFloat64(at + 4, acceptedAtMs, true);
    view.setBigUint64(at + 12, expected, true);
    view.setFloat64(at + 20, best, true);
    view.setBigUint64(at + 28, difficulty, true);
    const isWide = difficulty > MAX_U64;
    if (isWide) writeBig(view, at + 28, difficulty, 4);
    this.#end(KIND.share, at + (isWide ? WIDE_SHARE : NARROW_SHARE));
  }

  solution(text: string): void {
    const length = Buffer.byteLength(text);
    const at = this.#begin(length);
    this.#bytes.write(text, at);
    this.#end(KIND.solution, at + length);
  }

  cut({ number, watermarkMs, ownShares, ownWork, shares, work, ends, from, to }: Cut): void {
    const at = this.#begin(CUT_BODY_BYTES);
    const view = this.#view;
    view.setFloat64(at, number, true);
    view.setFloat64(at + 8, watermarkMs, true);
    view.setFloat64(at + 16, shares, true);
    view.setUint8(at + 24, ends ? 1 : 0);
    view.setUint32(at + 25, from.segment, true);
    view.setUint32(at + 29, from.offset, true);
    view.setUint32(at + 33, to.segment, true);
    view.setUint32(at + 37, to.offset, true);
    writeBig(view, at + 41, work, 5);
    view.setFloat64(at + 81, ownShares, true);
    writeBig(view, at + 89, ownWork, 5);
    this.#end(KIND.cut, at + CUT_BODY_BYTES);
  }

  /** Where the body of the next record goes. */
  #begin(bodyBytes: number): number {
    const needed = this.length + HEAD_BYTES + bodyBytes;
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
      this.#bytes.copy(grown, 0, 0, this.length);
      this.#bytes = grown;
      this.#view = viewOf(grown);
    }
    return this.length + HEAD_BYTES;
  }

  #end(kind: number, end: number): void {
    const at = this.length;
    const view = this.#view;
    view.setUint32(at, MAGIC, true);
    view.setUint8(at + 8, kind);
    view.setUint16(at + 9, end - at - HEAD_BYTES, true);
    view.setUint32(at + 4, crc32(this.#bytes, at + 8, end), true);
    this.length = end;
  }
}

/** What others cannot be read without. */
export function writeTwice(write: () => void): void {
  write();
  write();
}

/** Who is told of each whole record, in their order. */
export interface RecordVisitor {
  segment?(head: SegmentHead): void;
  name?(index: number, account: string, rig: string): void;
  share?(share: LoggedShare): void;
  solution?(text: string): void;
  cut?(cut: Cut): void;
  /** Bytes that are no record, from this place on, before a whole one. */
  damaged?(bytes: number, from: number): void;
}

/** Every whole record, whatever stands between them. Returns where the last one ends. */
export function readRecords(bytes: Buffer, visitor: RecordVisitor): number {
  const view = viewOf(bytes);
  let end = 0;
  for (let at = 0; at < bytes.length; ) {
    const next = wholeRecord(bytes, view, at);
    if (next === undefined) {
      at = bytes.indexOf(MAGIC_BYTES, at + 1);
      if (at === -1) break;
      continue;
    }
    if (at > end) visitor.damaged?.(at - end, end);
    visit(bytes, view, at, next, visitor);
    at = next;
    end = next;
  }
  return end;
}

const MAGIC_BYTES = Buffer.from([0xf8, 0x53, 0x4c, 0xff]);

/** Where the record at this place ends; `undefined` when there is none that is whole. */
function wholeRecord(bytes: Buffer, view: DataView, at: number): number | undefined {
  if (at + HEAD_BYTES > bytes.length || view.getUint32(at, true) !== MAGIC) return undefined;
  const end = at + HEAD_BYTES + view.getUint16(at + 9, true);
  if (end > bytes.length || crc32(bytes, at + 8, end) !== view.getUint32(at + 4, true)) return undefined;
  return end;
}

function visit(bytes: Buffer, view: DataView, record: number, end: number, visitor: RecordVisitor): void {
  const at = record + HEAD_BYTES;
  const kind = view.getUint8(record + 8);
  const length = end - at;
  if (kind === KIND.share) {
    if (length === NARROW_SHARE || length === WIDE_SHARE) visitor.share?.(shareAt(view, at, end));
  } else if (kind === KIND.name && length >= 6) {
    const rigAt = at + 6 + view.getUint16(at + 4, true);
    const account = bytes.toString('utf8', at + 6, rigAt);
    visitor.name?.(view.getUint32(at, true), account, bytes.toString('utf8', rigAt, end));
  } else if (kind === KIND.solution) visitor.solution?.(bytes.toString('utf8', at, end));
  else if (kind === KIND.cut && length === CUT_BODY_BYTES) visitor.cut?.(cutAt(view, at));
  else if (kind === KIND.segment && length === HEAD_BODY_BYTES) visitor.segment?.(segmentAt(bytes, view, at));
}

function shareAt(view: DataView, at: number, end: number): LoggedShare {
  const isWide = end - at === WIDE_SHARE;
  return {
    name: view.getUint32(at, true),
    acceptedAtMs: view.getFloat64(at + 4, true),
    expected: view.getBigUint64(at + 12, true),
    best: view.getFloat64(at + 20, true),
    difficulty: isWide ? readBig(view, at + 28, 4) : view.getBigUint64(at + 28, true),
  };
}

function cutAt(view: DataView, at: number): Cut {
  return {
    number: view.getFloat64(at, true),
    watermarkMs: view.getFloat64(at + 8, true),
    shares: view.getFloat64(at + 16, true),
    ends: view.getUint8(at + 24) === 1,
    from: { segment: view.getUint32(at + 25, true), offset: view.getUint32(at + 29, true) },
    to: { segment: view.getUint32(at + 33, true), offset: view.getUint32(at + 37, true) },
    work: readBig(view, at + 41, 5),
    ownShares: view.getFloat64(at + 81, true),
    ownWork: readBig(view, at + 89, 5),
  };
}

function segmentAt(bytes: Buffer, view: DataView, at: number): SegmentHead {
  const hex = bytes.toString('hex', at + 2, at + 18);
  return {
    version: view.getUint16(at, true),
    log: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    number: view.getUint32(at + 18, true),
  };
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function writeBig(view: DataView, at: number, value: bigint, words: number): void {
  for (let i = 0; i < words; i++)
    view.setBigUint64(at + 8 * i, BigInt.asUintN(64, value >> BigInt(64 * i)), true);
}

function readBig(view: DataView, at: number, words: number): bigint {
  let value = 0n;
  for (let i = words - 1; i >= 0; i--) value = (value << 64n) | view.getBigUint64(at + 8 * i, true);
  return value;
}
