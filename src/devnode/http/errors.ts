/** Answers that are no success, as the handlers throw them. */

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
