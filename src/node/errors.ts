/** A request to a node that did not give what it should have; the message says what to do about it. */
export type NodeErrorCode =
  /** No connection, or it broke. */
  | 'unreachable'
  | 'timeout'
  /** An answer with another status than success. */
  | 'status'
  /** An answer that does not decode. */
  | 'format'
  /** No network of a known layout at this address. */
  | 'not-a-node';

export interface NodeErrorDetails {
  /** The URL asked. */
  readonly url: string;
  readonly status?: number;
  /** Start of the body that came. */
  readonly text?: string;
}

export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly code: NodeErrorCode;
  readonly details: NodeErrorDetails;

  constructor(code: NodeErrorCode, message: string, details: NodeErrorDetails, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

/** The sentence of the deepest cause that has one: `fetch failed` says less than `connect ECONNREFUSED`. */
export function rootMessage(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  if (deepest instanceof AggregateError && deepest.errors[0] instanceof Error) deepest = deepest.errors[0];
  return deepest instanceof Error ? deepest.message || deepest.name : String(deepest);
}
