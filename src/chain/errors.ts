/** A request to a node that did not give what it should have. */
export type NodeErrorCode =
  /** No connection, or it broke. */
  | 'unreachable'
  /** A connection, but no TLS that can be trusted. */
  | 'tls'
  | 'timeout'
  /** The caller's signal ended it. */
  | 'aborted'
  /** An answer with another status than success. */
  | 'status'
  /** 400 for commands: `details.text` has the words of the node, `details.refusals` those for each command. */
  | 'refused'
  /** 404 with the key that the node does not have. */
  | 'not-found'
  /** An answer that does not decode, or is larger than allowed. */
  | 'format'
  /** An answer that is not what its hash says, or not what was asked for: the node, or somebody before it, is wrong. */
  | 'forged'
  /** No network of a known layout at this address. */
  | 'not-a-node';

/** Why one command of a request was refused. */
export interface Refusal {
  readonly index: number;
  readonly requestKey: string;
  /** `Transaction already exists on chain`, for example. */
  readonly reason: string;
}

export interface NodeErrorDetails {
  /** The URL asked. */
  readonly url: string;
  /** Method and path as the interface names it: `GET /chain/{chain}/header`. */
  readonly endpoint?: string;
  /** Scheme, host and port of the node. */
  readonly node?: string;
  readonly status?: number;
  /** Start of the body that came. */
  readonly text?: string;
  /** Of the commands that were refused, where the node names them. */
  readonly refusals?: readonly Refusal[];
  /** How often a solution was sent. */
  readonly posts?: number;
  /** Of a solution: whether the node itself refuses it. */
  readonly isFinal?: boolean;
  /** What was not found, where the node says so. */
  readonly key?: string;
  /** How long the node asks to be left alone (`Retry-After`), at most a minute. */
  readonly retryAfterMs?: number;
  /** What to do about it, as a sentence without its full stop. */
  readonly advice?: string;
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

  /** HTTP status; `undefined` when no answer came. */
  get status(): number | undefined {
    return this.details.status;
  }

  /** Method and path as the interface names it. */
  get endpoint(): string | undefined {
    return this.details.endpoint;
  }

  /** Scheme, host and port of the node. */
  get node(): string {
    return this.details.node ?? new URL(this.details.url).origin;
  }

  /** What to do about it. */
  get advice(): string {
    return this.details.advice ?? 'see the message and the log of the node';
  }
}

/** Node.js 24 advises its own flags on certificates; ours are settings. */
const NODE_ADVICE = /; if the root CA is installed locally,.*$/;

/** The sentence of the deepest cause that has one: `fetch failed` says less than `connect ECONNREFUSED`. */
export function rootMessage(error: unknown): string {
  const deepest = rootOf(error);
  // OpenSSL's messages name its threads and source files.
  const { code, reason } = Object(deepest) as { code?: unknown; reason?: unknown };
  if (typeof reason === 'string' && String(code).startsWith('ERR_SSL_')) return reason;
  const sentence = deepest instanceof Error ? deepest.message || deepest.name : String(deepest);
  return sentence.replace(NODE_ADVICE, '');
}

/** The code of the deepest cause, as Node.js and OpenSSL name it; empty when it has none. */
export function rootCode(error: unknown): string {
  const { code } = Object(rootOf(error)) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function rootOf(error: unknown): unknown {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  if (deepest instanceof AggregateError && deepest.errors[0] instanceof Error) deepest = deepest.errors[0];
  return deepest;
}
