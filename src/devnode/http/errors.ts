/** Answers that are no success, as the handlers throw them. */
import { toBase64Url, writeUintLittleEndian } from '../../core/bytes/bytes.js';

/** A request that gets `statusCode` and a body: by default a sentence that names the fault. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code = 'request';
  readonly statusCode: number;
  /** `bare`: without a content type, as real nodes give some. */
  readonly form: 'text' | 'json' | 'bare';

  constructor(statusCode: number, body: string, form: RequestError['form'] = 'text') {
    super(body);
    this.statusCode = statusCode;
    this.form = form;
  }
}

/** 404 with the body `{"key": "<what was asked for>", "reason": "key not found"}` (interface section 7). */
export function keyNotFound(key: string, reason = 'key not found'): RequestError {
  return new RequestError(404, JSON.stringify({ key, reason }), 'json');
}

/** A not-found body has a key of 43 characters, also where what was asked for is a number: its 32 bytes, lowest first. */
export function keyOfNumber(number: number): string {
  return toBase64Url(writeUintLittleEndian(BigInt(number), 32));
}
