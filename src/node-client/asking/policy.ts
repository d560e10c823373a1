/** How calls of a client are made: how long, how often, and who is told of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeError } from '../../chain/errors.js';
import type { NodeFacts } from './facts.js';
import type { HttpAnswer } from './http.js';

export const DEFAULT_TIMEOUT_MS = 5_000;

/** How long and how often a call is tried, and who is told. Given per call; what is absent comes from `connect`. */
export interface CallPolicy {
  /** For each try: connect, waiting and body together. Default 5,000. */
  readonly timeoutMs?: number;
  /**
   * Tries in all, with a growing pause between them, or the one that the node asks for (`Retry-After`). Default 1. Only
   * calls that change nothing are repeated, and only after a lost connection, a timeout, or a status that says "not now".
   */
  readonly attempts?: number;
  /** Largest body that is read. */
  readonly maxBytes?: number;
  /** Ends the call, pauses included. */
  readonly signal?: AbortSignal;
  /** Told before each request. */
  readonly onRequest?: (request: SeenRequest) => void;
  /** Told of each answer, whatever its status, with its headers. */
  readonly onAnswer?: (answer: SeenAnswer) => void;
  /** Told before each pause between two tries. */
  readonly onRetry?: (retry: {
    readonly error: NodeError;
    readonly failures: number;
    readonly pauseMs: number;
  }) => void;
}

export interface SeenRequest {
  /** Method and path as the interface names it. */
  readonly endpoint: string;
  /** Without credentials. */
  readonly url: string;
}

export interface SeenAnswer extends SeenRequest {
  readonly status: number;
  readonly headers: HttpAnswer['headers'];
  /** What the headers say of the node. */
  readonly facts: NodeFacts;
  readonly durationMs: number;
}

export interface CallSettings {
  readonly policy: CallPolicy;
  /** In [0, 1); spreads the pauses between tries. */
  readonly random: () => number;
  /** Pauses between tries. Rejects when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Told of each answer that is refused as forged, before the call fails with it. */
  readonly onForged?: ((error: NodeError) => void) | undefined;
}

export const DEFAULT_SETTINGS: CallSettings = {
  policy: {},
  random: Math.random,
  pause: async (ms, signal) => void (await sleep(ms, undefined, signal ? { signal } : {})),
};
