/**
 * What may be concluded of a transaction from a chain that was checked. Pure: no clock, no node. Only what stands in
 * verified blocks, and their times, moves a state.
 */
import type { Amount } from '../../core/amount.js';
import type { BlockPlace, ChainSight, TransferFact } from './sight.js';

export interface JudgedTransaction {
  readonly requestKey: string;
  /** The text that was signed. */
  readonly cmd: string;
  readonly line: { readonly from: string; readonly to: string; readonly amount: Amount };
  readonly creationTimeS: number;
  readonly ttlS: number;
  /** Head of the chain when the bytes were made: neither it nor a block below it can hold them. */
  readonly birth: BlockPlace;
  readonly state: 'signed' | 'sent' | 'included' | 'confirmed' | 'refused';
  /** Of one that is included, confirmed or refused. */
  readonly includedAt?: BlockPlace;
}

export interface Depths {
  /** D: blocks on top of one that is believed. */
  readonly depth: number;
  /** F: blocks on top of one that is followed no more. */
  readonly final: number;
}

/** Every block in which the bytes could be was read, and they are in none. */
export interface ExpiryProof {
  readonly from: BlockPlace;
  /** The first at or past the last time; it is at the depth. Its children can hold the bytes no more. */
  readonly to: BlockPlace;
}

export type Verdict =
  /** On no block of the chain, and may still come: send again. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'included'; readonly place: BlockPlace; readonly result: 'success' | 'failure' }
  | { readonly kind: 'confirmed'; readonly place: BlockPlace; readonly gasPaid: Amount }
  | { readonly kind: 'final'; readonly place: BlockPlace; readonly gasPaid: Amount }
  /** Failed on chain, at the depth: dead. */
  | {
      readonly kind: 'refused';
      readonly place: BlockPlace;
      readonly gasPaid: Amount;
      readonly why: string;
      readonly isFinal: boolean;
    }
  /** Its block left the chain: undo, then judge again, as it may be in another block already. `depth`: blocks seen on top. */
  | { readonly kind: 'left'; readonly place: BlockPlace; readonly depth: number }
  /** The same, and it had more than D on top: pause. */
  | { readonly kind: 'deep'; readonly place: BlockPlace; readonly depth: number }
  /** Dead: never included, and never will be. */
  | { readonly kind: 'expired'; readonly proof: ExpiryProof }
  /** It is in a block, and what happened is not the line: pause. */
  | {
      readonly kind: 'differs';
      readonly place: BlockPlace;
      readonly why: string;
      readonly transfers: readonly TransferFact[];
    }
  /** The sight does not reach down to what must be read: look again from there. */
  | { readonly kind: 'blind'; readonly fromHeight: number }
  /** Nodes disagree about the chain: nothing is decided. */
  | { readonly kind: 'withheld'; readonly why: string };

export declare function judge(tx: JudgedTransaction, sight: ChainSight, depths: Depths): Verdict;
