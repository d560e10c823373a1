/**
 * The map of the bridge: what it needs from the rooms around it, and what they may ask of it.
 *
 *     node/*     --WorkSink-->     bridge  --JobSink-->   stratum/*, cpu/*
 *     node/*     <-SolutionSink--  bridge  <--Judge----   stratum/*, cpu/*
 *     ledger/*   <-SolutionLog---  bridge  --ShareLog-->  queue/*
 *     ledger/*   <-ShareLedger--   queue/*
 *     node/*     --HeaderSink-->   ledger/*   --ChainReader-->  node/*
 *     web/*      --RigWatch, RigOrderHandlers--> stratum/*
 *     web/*      --BooksWatch-->   ledger/*
 *
 * Outer rooms implement these and never import each other; a command joins them.
 */
import type { Job } from '../core/jobs/job.js';
import type { Nonce1, Nonce2 } from '../core/jobs/nonce.js';
import type { Rejection } from '../core/shares/rejections.js';
import type { Share, Solution, Verdict } from '../core/shares/share.js';
import type { Target } from '../core/work/target.js';
import type { Work } from '../core/work/work.js';

/** The time, as a parameter. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
}

/** Where a node's works arrive; implemented by the dispatcher. */
export interface WorkSink {
  /**
   * New or refreshed work; which of the two is for the receiver to see. `node` names the issuer, `causedAtMs` (on a rising
   * clock) when that was heard of which led to the work being fetched.
   */
  offerWork(work: Work, node: string, causedAtMs: number): void;
  /** What was handed out for this chain no longer extends it; `causedAtMs` as above. */
  retireWork(chainId: number, causedAtMs: number): void;
  /** From now on these works and no others, another node's: every chain gets one clean job, or is retired. */
  replaceWorks(works: readonly Work[], node: string, causedAtMs: number): void;
}

/** What can ask for fresh work out of turn; implemented by the chain's side. */
export interface WorkSource {
  /** Fetches this chain, or all of them, again now; coalesced with a fetch under way. */
  refresh(chainId?: number): void;
}

/** Where jobs go; implemented by the stratum server and by the CPU. Returns at once and never throws. */
export interface JobSink {
  offerJob(job: Job): void;
  /** No job of these chains is live any more. All at once, so that nobody is sent from one to the next. */
  retireChains(chainIds: readonly number[]): void;
}

/** Where fresh nonce space comes from while the work stays the same. */
export interface JobSource {
  /** How many groups of sessions can hold the same nonces at once. */
  readonly groups: number;
  /** The lowest number of a job that is still known. */
  readonly oldestJob: number;
  /**
   * The newest work of the chain as a new job of this group with a later creation time; `undefined` when the chain has no
   * live job. It goes to the caller alone.
   */
  rollJob(chainId: number, group: number, clean: boolean): Job | undefined;
}

/** One claim: this nonce2 with my nonce1 makes a good hash of that job. */
export interface Submit {
  readonly jobId: string;
  readonly nonce1: Nonce1;
  readonly nonce2: Nonce2;
  readonly account: string;
  readonly rig: string;
  /** The share target that a job was issued with to this submitter; `undefined` if it never was. */
  shareTargetOf(job: Job): Target | undefined;
  /** The submitter is past a limit: anything but a solution is `tryAgain`, and not counted as submitted. */
  readonly onlySolutions?: boolean;
  /** Told the verdict once, where {@link Judge.judge} had none yet. Never throws. */
  settled(verdict: Verdict): void;
}

/** Judges submits; implemented by the bridge. */
export interface Judge {
  /** `undefined` where a share has to be made durable first: the submit is told when it is. */
  judge(submit: Submit): Verdict | undefined;
}

/**
 * Who waits for a share to be durable: told once, and never from within the call that handed the share over. One object each,
 * and no promise: thousands wait for a disk at a time. Never throws.
 */
export interface ShareWaiter {
  /** The share will survive a crash. */
  kept(): void;
  /** It is not in the books, and never will be. */
  lost(error: Error): void;
}

/** Takes shares for good. */
export interface ShareLog {
  /** @param reached the difficulty that its hash would meet. */
  append(share: Share, reached: number, waiter: ShareWaiter): void;
}

/** Names sums of shares for ever: no two entries of any bridge at any time have the same. */
export interface EntryId {
  /** A random UUID, drawn anew by each start of a bridge. */
  readonly producer: string;
  /** Counts this producer's entries from 1. */
  readonly number: number;
}

/** Submits of one rig in one slot, of one kind: shares, or what was refused for one reason. */
export interface WorkSum {
  readonly account: string;
  readonly rig: string;
  /** As `slotOf` numbers them. */
  readonly slot: number;
  readonly kind: 'accepted' | Rejection;
  readonly submits: number;
  /** Expected hashes that are credited, or would have been. */
  readonly work: bigint;
  /** Blocks that the shares were expected to find, in units of 10^-18. */
  readonly expected: bigint;
  /** The highest difficulty that one of their hashes met. */
  readonly best: number;
}

/** What travels and is booked together: shares of one producer between two moments, summed. */
export interface ShareEntry {
  readonly id: EntryId;
  /** What this producer accepted before this time (ms since the epoch) is in entries up to this one. */
  readonly watermarkMs: number;
  /** The last entry of this producer. */
  readonly ends: boolean;
  /** What this producer accepted in all, up to and with this entry. */
  readonly total: { readonly shares: number; readonly work: bigint };
  readonly sums: readonly WorkSum[];
}

/** The books as the queue's consumer sees them. */
export interface ShareLedger {
  /**
   * Books the entries in one transaction, each unless it was booked before; an entry may be delivered many times and to many
   * recorders at once. What the database refuses for its data of an entry that comes alone is set aside, and the rest booked; of
   * several nothing is booked then. Resolves with what became of each. Rejects when it is not known that they are booked: deliver
   * them again, in parts; with `code: 'away'` when the books do not answer anybody, with `code: 'refused'` when they do not take
   * one that comes alone at all.
   */
  recordEntries(entries: readonly ShareEntry[]): Promise<readonly ('recorded' | 'repeated')[]>;
}

/** Which of a producer's entries have reached the books. */
export interface EntryGaps {
  /** Numbers from `first` to `last`, both included, that are not booked: ascending, the first `limit` of them. */
  missingEntries(producer: string, first: number, last: number, limit: number): Promise<readonly number[]>;
}

/** What a node said to a posted solution. */
export type SolutionAnswer =
  | { readonly outcome: 'received' }
  /** A final no, in the node's words. */
  | {
      readonly outcome: 'refused';
      readonly status: number;
      readonly text: string;
      /** It was posted more than once, because no answer came: 404 may say that an earlier post was taken. */
      readonly isRepeated?: boolean;
    }
  /** No answer, or one that says nothing about the solution: it may be tried again. */
  | { readonly outcome: 'unanswered'; readonly error: Error };

/** Posts solutions to the node that issued their work. Never rejects. */
export interface SolutionSink {
  postSolution(node: string, header: Uint8Array): Promise<SolutionAnswer>;
}

/**
 * States of a solution in the books. `perhaps` means that an answer was lost and the node has forgotten the work since,
 * as it does when it takes a solution; `lost` that no answer came while the work was alive.
 */
export type SolutionState = 'found' | FinalState;
export const FINAL_STATES = ['received', 'refused', 'perhaps', 'lost'] as const;
type FinalState = (typeof FINAL_STATES)[number];

/** The books' row of a solution. */
export interface SolutionLog {
  /** Writes or updates the row of this solution; `detail` holds the node's words. */
  recordSolution(solution: Solution, state: SolutionState, detail: string): Promise<void>;
}

/** A solution without its job: what the books keep of it. */
export interface SolutionRecord {
  readonly node: string;
  readonly header: Uint8Array;
  /** 32 bytes, lowest first. */
  readonly powHash: Uint8Array;
  readonly blockDifficulty: bigint;
  readonly account: string;
  readonly rig: string;
  readonly foundAtMs: number;
}

/** The books of solutions, as the journal in front of them sees them. Writing the same again changes nothing. */
export interface SolutionBook {
  writeSolution(solution: SolutionRecord, state: SolutionState, detail: string): Promise<void>;
}

/** A header as a node tells of it: in a listing, or on its stream. */
export interface SeenHeader {
  readonly chainId: number;
  readonly height: number;
  /** As the node names it, 32 bytes. */
  readonly hash: Uint8Array;
  readonly parent: Uint8Array;
  readonly nonce: bigint;
  /** Microseconds since the epoch. */
  readonly creationTime: bigint;
  /** The sum of difficulties up to this block: of two tips the heavier one is the chain's. */
  readonly weight: bigint;
}

/** Where headers are told as nodes announce them (`GET /header/updates`); implemented by the books of blocks. */
export interface HeaderSink {
  /** Returns at once and never throws. */
  sawHeader(node: string, header: SeenHeader): void;
}

/**
 * What the books of blocks ask nodes; implemented by the chain's side. Methods reject when the node gives no good answer,
 * with `code: 'forged'` when it is not what its hash says: headers, their descent and payloads are hashed before anybody is told.
 */
export interface ChainReader {
  /** Names of the nodes that can be asked now, in order of preference; the same names as in `Job.node`. */
  readonly nodes: readonly string[];
  /** Nodes there are, whether they can be asked now or not. */
  readonly count: number;
  /** The network is one of developers: its blocks are nobody's money. */
  readonly isForDevelopment: boolean;
  /**
   * Headers of a chain between two heights, both included, orphans included, ascending; none when the node knows none
   * there. At most `limit`, taken from the lower end (`GET /chain/{chain}/header`).
   */
  listHeaders(
    node: string,
    chainId: number,
    heights: { readonly min: number; readonly max: number },
    limit: number,
  ): Promise<readonly SeenHeader[]>;
  /**
   * Hashes at `height` that are `upper` itself or an ancestor of it by the headers between them: one, or none when the node
   * does not know `upper` (`POST /chain/{chain}/header/branch`).
   */
  ancestorsAt(
    node: string,
    chainId: number,
    height: number,
    upper: Uint8Array,
  ): Promise<readonly Uint8Array[]>;
  /** What came of the payload of this hash; `undefined` when the node does not know it (`payload/outputs`). */
  payloadOutputs(
    node: string,
    chainId: number,
    height: number,
    payloadHash: Uint8Array,
  ): Promise<PayloadOutputs | undefined>;
}

/** Each one's JSON text. */
export interface PayloadOutputs {
  readonly coinbase: string;
  readonly transactions: readonly { readonly command: string; readonly output: string }[];
}
