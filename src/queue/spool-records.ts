/**
 * Records of a spool file, one after the other:
 *
 *     magic (4 bytes), length (4), CRC-32 of the text (4), numbers little-endian, then the text in UTF-8
 *
 * The magic holds bytes that no UTF-8 has, so it is found at the beginning of records and nowhere else: behind a damaged
 * record the next whole one is found by it. Files of version 0.1 have records without magic and are read as then.
 */
import { crc32 } from 'node:zlib';

const MAGIC = Buffer.from([0xf8, 0x53, 0x52, 0xff]);
const HEAD_BYTES = 12;
const OLD_HEAD_BYTES = 8;

export function encodeRecord(text: string): Buffer {
  const body = Buffer.from(text);
  const record = Buffer.alloc(HEAD_BYTES + body.length);
  MAGIC.copy(record);
  record.writeUInt32LE(body.length, 4);
  record.writeUInt32LE(crc32(body), 8);
  body.copy(record, HEAD_BYTES);
  return record;
}

export interface ReadRecords {
  readonly records: string[];
  /** `end`: a write that was cut short, never acknowledged. `inside`: something that was once whole. */
  readonly damage: 'none' | 'end' | 'inside';
}

/** Every record that is whole, whatever stands between them. */
export function readRecords(bytes: Buffer): ReadRecords {
  const first = bytes.indexOf(MAGIC);
  if (first === -1) return readOldRecords(bytes);
  const records: string[] = [];
  let isDamaged = first > 0;
  for (let at = first; at < bytes.length; ) {
    const record = recordAt(bytes, at);
    if (record) {
      records.push(record.text);
      at = record.end;
    }
    if (record && (at === bytes.length || isMagicAt(bytes, at))) continue;
    const next = bytes.indexOf(MAGIC, record ? at : at + 1);
    if (next === -1) return { records, damage: isDamaged || !isTorn(bytes, at) ? 'inside' : 'end' };
    isDamaged = true;
    at = next;
  }
  return { records, damage: isDamaged ? 'inside' : 'none' };
}

function isMagicAt(bytes: Buffer, at: number): boolean {
  return bytes.subarray(at, at + MAGIC.length).equals(MAGIC);
}

function recordAt(bytes: Buffer, at: number): { text: string; end: number } | undefined {
  if (at + HEAD_BYTES > bytes.length) return undefined;
  const end = at + HEAD_BYTES + bytes.readUInt32LE(at + 4);
  if (end > bytes.length) return undefined;
  const body = bytes.subarray(at + HEAD_BYTES, end);
  return crc32(body) === bytes.readUInt32LE(at + 8) ? { text: body.toString(), end } : undefined;
}

/** What is left is how a write looks that was cut short: too few bytes, or zeros where its content had not come. */
function isTorn(bytes: Buffer, at: number): boolean {
  if (bytes.at(-1) === 0) return true;
  if (at + HEAD_BYTES > bytes.length) return true;
  return at + HEAD_BYTES + bytes.readUInt32LE(at + 4) > bytes.length;
}

/** Reads past a record whose text does not check, as long as its length leads to the next. */
function readOldRecords(bytes: Buffer): ReadRecords {
  const records: string[] = [];
  let bad = 0;
  let at = 0;
  while (at + OLD_HEAD_BYTES <= bytes.length) {
    const length = bytes.readUInt32LE(at);
    const end = at + OLD_HEAD_BYTES + length;
    if (length === 0 || end > bytes.length) break;
    const body = bytes.subarray(at + OLD_HEAD_BYTES, end);
    if (crc32(body) === bytes.readUInt32LE(at + 4)) records.push(body.toString());
    else bad++;
    at = end;
  }
  if (bad > 0) return { records, damage: 'inside' };
  if (at === bytes.length) return { records, damage: 'none' };
  return { records, damage: at === 0 && !mayBeginOld(bytes) ? 'inside' : 'end' };
}

/** A length of more than 16 MB never was: it is a magic that was damaged. */
function mayBeginOld(bytes: Buffer): boolean {
  return bytes.length < OLD_HEAD_BYTES || bytes[3] === 0;
}
