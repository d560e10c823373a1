/** What a client is made with, and what is asked of it for work. */
import type { Dispatcher } from 'undici';
import type { NodeError } from '../chain/errors.js';
import type { Miner } from '../chain/models.js';
import type { VerifyOptions } from '../chain/verify.js';
import type { Work } from '../core/work/work.js';
import type { TlsOptions } from './asking/http.js';
import type { CallPolicy, CallSettings } from './asking/policy.js';

export interface WorkRequest {
  readonly miner: Miner;
  /** A wish only: the node may hand out work of another chain. */
  readonly chainId?: number | undefined;
  /** A node keeps the request open while it has no work. */
  readonly timeoutMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
  /** Told of the work in the turn in which its last byte came, some turns before the promise is kept. */
  readonly onWork?: (work: Work) => void;
}

export interface ClientOptions {
  /** For `https://`: an authority of one's own, or no check at all. */
  readonly tls?: TlsOptions;
  /** Carries all requests instead of connections of our own, to a proxy for example; it stays yours to close. */
  readonly dispatcher?: Dispatcher;
  /** Sent with every request; a user and password in the URL become `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The network that is expected: a node of another one is refused. By this name, and else by the one that the node tells of
   * itself, blocks need work or, on a network for development, none.
   */
  readonly network?: string;
  /** What calls use that do not say otherwise. */
  readonly policy?: CallPolicy;
  /**
   * By default every header, payload and branch of headers is hashed and compared with what was asked for; what does not
   * agree is an error with `code: 'forged'`. Hashes alone (listings, branches of hashes, the cut) prove nothing.
   */
  readonly verify?: boolean | VerifyOptions;
  /** Told of each answer that was refused so. */
  readonly onForged?: (error: NodeError) => void;
  /** In [0, 1): spreads pauses. */
  readonly random?: CallSettings['random'];
  /** How to wait between tries. */
  readonly pause?: CallSettings['pause'];
}

export interface ConnectOptions extends ClientOptions {
  /** What an operator typed: a whole base URL, or scheme, host and port. Of several nodes the preferred one first. */
  readonly nodes: string | readonly string[];
  /** Of each question that it takes to find the node. Default 5,000. */
  readonly timeoutMs?: number;
  /** Ends the search for the node. */
  readonly signal?: AbortSignal;
}
