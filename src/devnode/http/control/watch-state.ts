/** What the page of the control port shows, as `GET /state` answers it. Imports nothing that is not for a browser. */

export interface WatchState {
  readonly network: string;
  /** `frozen`: it stands but for blocks and orders. */
  readonly clock: { readonly nowMs: number; readonly frozen: boolean };
  /** Sum of the heights of the cut. */
  readonly height: number;
  /** What of the heights is shown, both included. */
  readonly from: number;
  readonly to: number;
  /** Ascending ids. */
  readonly chains: readonly WatchChain[];
  /** Of those heights, orphans included; ascending height within a chain. */
  readonly blocks: readonly WatchBlock[];
  /** Newest first. */
  readonly requests: readonly WatchRequest[];
  readonly peers: readonly WatchPeer[];
}

export interface WatchChain {
  readonly chainId: number;
  readonly height: number;
  /** Neighbours that have to be mined first; empty when it can be extended. */
  readonly waitsFor: readonly number[];
  /** Transactions that wait for a block. */
  readonly waiting: number;
}

export interface WatchBlock {
  readonly hash: string;
  readonly chainId: number;
  readonly height: number;
  readonly parent: string;
  /** Hashes of the blocks of adjacent chains that it refers to. */
  readonly adjacents: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  readonly transactions: number;
  /** Who was credited; empty in a genesis block. */
  readonly account: string;
  readonly isOnCut: boolean;
}

export interface WatchRequest {
  /** Counts up from the start of the node. */
  readonly number: number;
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly tookMs: number;
}

export interface WatchPeer {
  /** Host and port. */
  readonly name: string;
  /** `cut` by an order; `wordless`: the last exchange failed, or there was none yet. */
  readonly state: 'open' | 'cut' | 'wordless';
}
