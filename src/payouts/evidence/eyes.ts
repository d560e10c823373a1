/** The payer's eyes: what nodes say of its chains, checked; and what it tells and asks them besides, which is no evidence. */
import type { Amount } from '../../core/money/amount.js';
import type { NodeClient } from '../../node-client/client.js';
import type { BlockPlace, ChainSight, Trouble } from './sight.js';

export interface NamedNode {
  /** Without credentials: it stands in troubles and logs. */
  readonly name: string;
  /** `undefined` while it cannot be connected to. */
  client(): NodeClient | undefined;
}

export interface EyesOptions {
  readonly nodes: readonly NamedNode[];
  /** The payer's, `k:…`. */
  readonly account: string;
  readonly networkId: string;
  /** D: blocks on top of one that is believed. */
  readonly depth: number;
  /** Milliseconds since the epoch. It says when a head is old, and moves no state. */
  readonly nowMs: () => number;
  /** Of one request. Default 10,000. */
  readonly timeoutMs?: number;
  /** Most blocks of a chain that are kept. Default 20,000. */
  readonly mostBlocks?: number;
  /** Blocks of the network take work. By default those of all networks that are not for development. */
  readonly isWorked?: boolean;
  /** Module hashes of `coin` that are known, besides those that are built in. */
  readonly contracts?: readonly string[];
}

/** A signed command as it is sent. */
export interface Envelope {
  readonly hash: string;
  readonly cmd: string;
  readonly sigs: readonly { readonly sig: string }[];
}

/** What all nodes that answer say alike of the block at the depth; else why there is nothing to go by. */
export type Agreed<T> =
  | { readonly kind: 'agreed'; readonly value: T; readonly at: BlockPlace; readonly nodes: readonly string[] }
  | { readonly kind: 'trouble'; readonly trouble: Trouble };

export interface Guard {
  readonly pred: string;
  /** Sorted. */
  readonly keys: readonly string[];
}

export type Preflight =
  | { readonly kind: 'success'; readonly gas: bigint }
  /** The contract's words, or those of the checks before it. */
  | { readonly kind: 'failure'; readonly why: string }
  | { readonly kind: 'trouble'; readonly trouble: Trouble };

/** Milliseconds since the epoch, of one moment. */
export interface NodeClock {
  readonly node: string;
  readonly atMs: number;
  readonly ownMs: number;
  /** Whole seconds by which ours is ahead. */
  readonly skewS: number;
}

/** What one node said when it was sent a command. No evidence of anything. */
export interface SendAnswer {
  readonly node: string;
  readonly kind: 'accepted' | 'refused' | 'no answer';
  readonly words?: string;
}

export interface Eyes {
  /** How many, whether they answer or not. */
  readonly nodes: number;
  /** Of a chain that are kept: what is further below its head is not read any more. */
  readonly mostBlocks: number;
  /**
   * The chain from a height to its head, as all nodes have it now. Looks that run at a time share one question a node; a block
   * is read once. Rejects only when the signal ends it.
   *
   * @param mostRead blocks that are read now; what is left has the trouble `reading`, and the next looks go on with it. Default: all.
   */
  look(chainId: number, fromHeight: number, signal?: AbortSignal, mostRead?: number): Promise<ChainSight>;
  /** Of the payer, at the depth; 0 where it has no account there. */
  balance(chainId: number, signal?: AbortSignal): Promise<Agreed<Amount>>;
  /** At the depth; `undefined` where there is no such account, `'other'` where its guard is no keyset. */
  guard(chainId: number, account: string, signal?: AbortSignal): Promise<Agreed<Guard | 'other' | undefined>>;
  /** A dry run at the heads of nodes: those that agreed at the last look, if any did. */
  preflight(chainId: number, envelope: Envelope, signal?: AbortSignal): Promise<Preflight>;
  /** To every node at a time, one command a request; one that did not answer last is left out while others do. */
  send(chainId: number, envelope: Envelope, signal?: AbortSignal): Promise<readonly SendAnswer[]>;
  /** Of nodes that tell their time. */
  clocks(): Promise<readonly NodeClock[]>;
}
