/** What a node hands out on `GET /mining/work`. */
import { bytesEqual, toHex } from '../bytes/bytes.js';
import {
  CREATION_TIME_OFFSET,
  decodeHeader,
  HEADER_BYTES,
  type Header,
  type HeaderFields,
  headerFromBytes,
  NONCE_OFFSET,
  offsetOf,
} from './header.js';
import { TARGET_BYTES, type Target, targetFromBytes, targetToHexBigEndian } from './target.js';

/** chain id (4 bytes) + block target (32) + header (286). */
export const WORK_BYTES = 4 + TARGET_BYTES + HEADER_BYTES;

export interface Work {
  readonly chainId: number;
  readonly blockTarget: Target;
  /** As the node gave it, nonce bytes included. */
  readonly header: Header;
  readonly fields: HeaderFields;
}

/** What came is no work; the message says what came instead. */
export class WorkFormatError extends Error {
  override readonly name = 'WorkFormatError';
  readonly code = 'work-format';
}

/** Reads a work response. Throws {@link WorkFormatError}. */
export function decodeWork(bytes: Uint8Array): Work {
  if (bytes.length !== WORK_BYTES) {
    const what = degreeHint(bytes.length) ?? preview(bytes);
    throw new WorkFormatError(`a work has ${WORK_BYTES} bytes, this one ${bytes.length}: ${what}`);
  }
  const chainId = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = headerFromBytes(bytes.subarray(4 + TARGET_BYTES));
  const fields = fieldsOf(header);
  if (fields.chainId !== chainId) {
    throw new WorkFormatError(`work for chain ${chainId} carries a header of chain ${fields.chainId}`);
  }
  const blockTarget = targetFromBytes(bytes.subarray(4, 4 + TARGET_BYTES));
  checkTarget(chainId, blockTarget, fields.target);
  return { chainId, blockTarget, header, fields };
}

const NO_TARGET = new Uint8Array(TARGET_BYTES);

/** A block counts by its header's target, so whoever is paid by another one is paid wrongly. */
function checkTarget(chainId: number, given: Target, inHeader: Target): void {
  if (!bytesEqual(given, inHeader)) {
    const [before, within] = [given, inHeader].map(targetToHexBigEndian);
    throw new WorkFormatError(
      `work for chain ${chainId} has the target ${before} before its header and ${within} in it`,
    );
  }
  if (bytesEqual(given, NO_TARGET)) {
    throw new WorkFormatError(`work for chain ${chainId} has the target 0, which no hash can meet`);
  }
}

function fieldsOf(header: Header): HeaderFields {
  try {
    return decodeHeader(header);
  } catch (cause) {
    throw new WorkFormatError(`the header of the work does not decode: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** A header has 36 bytes for each neighbour of its chain; networks other than the public ones may have other graphs. */
function degreeHint(length: number): string | undefined {
  const degree = 3 + (length - WORK_BYTES) / 36;
  const isHeader = Number.isInteger(degree) && degree >= 1 && degree <= 20;
  return isHeader ? `it is of a network whose chains have ${degree} neighbours each, and not 3` : undefined;
}

function preview(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'an empty body';
  const text = Buffer.from(bytes.subarray(0, 80)).toString('latin1');
  return /^[\x20-\x7e\s]*$/.test(text) ? JSON.stringify(text) : `bytes ${toHex(bytes.subarray(0, 16))}…`;
}

/** The inverse of {@link decodeWork}, as a node does it. */
export function encodeWork(work: Pick<Work, 'chainId' | 'blockTarget' | 'header'>): Uint8Array {
  const bytes = new Uint8Array(WORK_BYTES);
  new DataView(bytes.buffer).setUint32(0, work.chainId, true);
  bytes.set(work.blockTarget, 4);
  bytes.set(work.header, 4 + TARGET_BYTES);
  return bytes;
}

/** Works with the same parent and neighbours: what of one is in the cut is so of the other. */
export function sameCut(a: Work, b: Work): boolean {
  return a === b || (a.chainId === b.chainId && sameBytes(a, b, offsetOf('parent'), offsetOf('target')));
}

/** Works that differ in nothing but the time they were made, and the nonce. */
export function sameWork(a: Work, b: Work): boolean {
  if (a === b) return true;
  const sameHeader =
    sameBytes(a, b, 0, CREATION_TIME_OFFSET) && sameBytes(a, b, offsetOf('parent'), NONCE_OFFSET);
  return sameHeader && bytesEqual(a.blockTarget, b.blockTarget);
}

function sameBytes({ header: a }: Work, { header: b }: Work, from: number, to: number): boolean {
  return bytesEqual(a.subarray(from, to), b.subarray(from, to));
}
