/**
 * What is seen of a chain: blocks whose headers were hashed, linked and weighed, and whose payloads were hashed into them.
 * Whatever else nodes say stands in {@link ChainSight.nodes} and {@link ChainSight.troubles}, and is no evidence.
 */
import type { Amount } from '../../core/money/amount.js';

export interface BlockPlace {
  readonly height: number;
  /** 43 characters of Base64Url. */
  readonly hash: string;
}

/** A `TRANSFER` event of the contract `coin`, in a payload that was verified. */
export interface TransferFact {
  /** Empty: from nobody, as in a coinbase. */
  readonly from: string;
  readonly to: string;
  readonly amount: Amount;
  /** Of the contract as it ran. */
  readonly moduleHash: string;
  /** Of the command that did it; `undefined` for the coinbase. */
  readonly requestKey: string | undefined;
}

/** A command in a block that the payer's account pays for or signs, or whose nonce is one of ours (`sb1:…`). */
export interface FoundCommand {
  /** Hash of `cmd`, made here. */
  readonly requestKey: string;
  /** To the letter, as it was signed. */
  readonly cmd: string;
  /** `unreadable`: its output is none that we know; `why` says what is wrong with it. */
  readonly status: 'success' | 'failure' | 'unreadable';
  /** Gas times its price, 10^-12 coins; 0 where it is unreadable. */
  readonly gasPaid: Amount;
  /** All of its events but the one that pays its gas. */
  readonly transfers: readonly TransferFact[];
  /** The contract's or the reader's words where it is no success. */
  readonly why?: string;
}

export interface CheckedBlock extends BlockPlace {
  readonly parent: string;
  /** Creation time, whole seconds since the epoch, rounded down. */
  readonly timeS: number;
  /** Work of the block and all its ancestors. */
  readonly weight: bigint;
  readonly commands: readonly FoundCommand[];
  /** Transfers from the payer's account, gas included. */
  readonly debits: readonly TransferFact[];
  /** Transfers to the payer's account, coinbase and fees included. */
  readonly credits: readonly TransferFact[];
  /** Module hashes with which `coin` ran in it that are not known. */
  readonly contracts: readonly string[];
  /** What is in it and cannot be read, a sentence each. */
  readonly unreadable: readonly string[];
}

/** A block that was on the chain at an earlier look. */
export interface LeftBlock extends BlockPlace {
  /** How many blocks were seen on top of it. */
  readonly depth: number;
}

type TroubleKind =
  /** More came than is read at once: later looks go on. Nothing is concluded that needs all of it. */
  | 'reading'
  /** No node gives a head, or a payload that the chain needs. */
  | 'unreachable'
  /** The head is older than it may be: nothing new is sent. */
  | 'lags'
  /** The head is ahead of our clock by more than a minute. */
  | 'clock'
  /** At the depth nodes have different blocks: nothing is decided. */
  | 'disagree'
  /** A block left that had more than the depth on top. */
  | 'reorganised-deeper'
  /** A node's answer is not what its hash says; others are believed. */
  | 'forged'
  /** A node is of another network. */
  | 'network'
  /** `coin` ran with a module hash that is not known. */
  | 'contract'
  /** What is in a verified block cannot be read. */
  | 'unreadable';

export interface Trouble {
  readonly kind: TroubleKind;
  /** A sentence without its full stop, for people. */
  readonly says: string;
  /** Names of the nodes that it is about. */
  readonly nodes: readonly string[];
}

/** How one node stands to the chain that is believed. */
export interface NodeSight {
  readonly node: string;
  readonly standing: 'agrees' | 'behind' | 'forked' | 'silent' | 'forged' | 'network';
  /** As verified. */
  readonly head?: BlockPlace;
  readonly says?: string;
}

export interface ChainSight {
  readonly chainId: number;
  /** Linked, ascending, without a gap, from the height asked for (or the lowest that is kept) to the head; each was read. */
  readonly blocks: readonly CheckedBlock[];
  /** The last of `blocks`; `undefined` while nothing was seen. */
  readonly head: CheckedBlock | undefined;
  /** Our clock less the time of the head, seconds. */
  readonly headAgeS: number | undefined;
  readonly troubles: readonly Trouble[];
  readonly nodes: readonly NodeSight[];
  /** Were on the chain at an earlier look and are not now, as far as that is remembered: the newest 1,000. */
  readonly left: readonly LeftBlock[];
}
