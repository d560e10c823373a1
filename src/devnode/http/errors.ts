/** Answers that are no success, as the handlers throw them. */
import { toBase64Url, writeUintLittleEndian } from '../../core/bytes/bytes.js';

/** A request that gets `statusCode` and, as text, a sentence that names the fault. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code = 'request';
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** An answer whose body has no content type, as real nodes give some: a text as it is, or as JSON. */
export class BareError extends Error {
  override readonly name = 'BareError';
  readonly code = 'bare';
  readonly statusCode: number;
  readonly body: string;

  constructor(statusCode: number, message: string, form: 'text' | 'json') {
    super(message);
    this.statusCode = statusCode;
    this.body = form === 'json' ? JSON.stringify(message) : message;
  }
}

/** 404 with the body `{"key": "<what was asked for>", "reason": "key not found"}` (interface section 7). */
export class KeyNotFoundError extends Error {
  override readonly name = 'KeyNotFoundError';
  readonly code = 'key-not-found';
  readonly statusCode = 404;
  readonly key: string;

  constructor(key: string, reason = 'key not found') {
    super(reason);
    this.key = key;
  }
}

/** A not-found body has a key of 43 characters, also where what was asked for is a number: its 32 bytes, lowest first. */
export function keyOfNumber(number: number): string {
  return toBase64Url(writeUintLittleEndian(BigInt(number), 32));
}
