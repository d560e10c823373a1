/**
 * The map of the bridge: what it needs from the rooms around it, and what they may ask of it.
 *
 *     node/*     --WorkSink-->     bridge  --JobSink-->   stratum/*, cpu/*
 *     node/*     <-SolutionSink--  bridge  <--Judge----   stratum/*, cpu/*
 *     ledger/*   <-SolutionLog---  bridge  --ShareLog-->  queue/*
 *     ledger/*   <-ShareLedger--   queue/*
 *     ledger/*   --SeeChains-->    node/*
 *     web/*      --RigWatch, RigOrderHandlers--> stratum/*
 *     web/*      --BooksWatch-->   ledger/*
 *
 * Outer rooms implement these and never import each other; a command joins them.
 */
import type { Job } from '../core/jobs/job.js';
import type { Nonce1, Nonce2 } from '../core/jobs/nonce.js';
import type { Rejection } from '../core/shares/rejections.js';
import type { Share, Solution, Verdict } from '../core/shares/share.js';
import type { Anchor } from '../core/work/anchor.js';
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
  readonly log: string;
  /** Counts this log's entries from 1. */
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

/** What travels and is booked together: shares of one log between two moments, summed. */
export interface ShareEntry {
  readonly id: EntryId;
  /** What this log accepted before this time (ms since the epoch) is in entries up to this one. */
  readonly watermarkMs: number;
  /** The last entry of this log. */
  readonly ends: boolean;
  /** What this log accepted in all, up to and with this entry. */
  readonly total: { readonly shares: number; readonly work: bigint };
  readonly sums: readonly WorkSum[];
  readonly solutions: readonly SolutionWord[];
}

/** What a log accepted in all, up to and with this entry: one with other totals is another one. */
export interface EntryTotal {
  readonly number: number;
  readonly shares: number;
  readonly work: bigint;
}

/** The books as the queue's consumer sees them. */
export interface ShareLedger {
  /**
   * Books the entries in one transaction, each unless it was booked before; an entry may be delivered many times and to many
   * recorders at once. What the database refuses for its data of an entry that comes alone is set aside, and the rest booked; of
   * several nothing is booked then. Resolves with what became of each; nothing is booked of a conflict either. Rejects when it is not known that they are booked: deliver
   * them again, in parts; with `code: 'away'` when the books do not answer anybody, with `code: 'slow'` when all of them take too long, with `code: 'refused'` when they do not take
   * one that comes alone at all.
   */
  recordEntries(entries: readonly ShareEntry[]): Promise<readonly EntryOutcome[]>;
}

/** `conflict`: another entry is booked under its number. */
export type EntryOutcome = 'recorded' | 'repeated' | 'conflict';

/** Numbers of entries, both included. */
export interface EntryRange {
  readonly first: number;
  readonly last: number;
}

/** The books as a bridge asks them about its logs. */
export interface LogLedger {
  /** Names these books for ever, also after a restore. */
  id(): Promise<string>;
  /**
   * For the next 30 s settlement waits for shares of these logs. Resolves with whether it does now: there are blocks that are not weighed yet.
   * @param place for people: host and data directory.
   */
  renewLogs(logs: readonly string[], place: string): Promise<boolean>;
  /** Of the numbers up to `last` those that are not booked: ascending, the first `limit` gaps of them. */
  missingEntries(log: string, last: number, limit: number): Promise<readonly EntryRange[]>;
  /** Numbers of those of which another entry is booked. */
  conflictingEntries(log: string, entries: readonly EntryTotal[]): Promise<readonly number[]>;
  /** Nobody has these any more: what waits for them waits no longer. @param by who says so. */
  giveUpEntries(log: string, entries: EntryRange, by: string): Promise<void>;
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

/** Keeps solutions. */
export interface SolutionLog {
  /** Resolves when it will survive a crash; `detail` holds the node's words. */
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

/** What became of a solution, up to now. */
export interface SolutionWord {
  readonly solution: SolutionRecord;
  /** That it was found in: its block waits for the shares there. */
  readonly log: string;
  readonly state: SolutionState;
  /** The node's words. */
  readonly detail: string;
}

/** A block at the depth, checked, with its parent below it. */
export interface PassedBlock extends Anchor {
  /** As it is hashed for proof of work. */
  readonly header: Uint8Array;
  /** `undefined` where no node has it, and somebody ordered to go on without. */
  readonly payload: PayloadOutputs | undefined;
}

/** By the word of how many, and how deep. */
export interface ChainRules {
  /** Blocks that a block must have on top. */
  readonly depth: number;
  /** Nodes that must have it so. */
  readonly nodes: number;
}

/**
 * Asks the nodes for their heads. A sentence where none of them can be asked; rejects for nothing that is a node's fault. Implemented by the
 * chain's side.
 */
export type SeeChains = (
  rules: (network: NetworkInSight) => Promise<ChainRules>,
  /** Ends what is asked: that rejects then. */
  signal: AbortSignal,
) => Promise<ChainsInSight | string>;

export interface NetworkInSight {
  readonly name: string;
  /** It is one of developers: its blocks are nobody's money. */
  readonly isForDevelopment: boolean;
  /** Nodes there are, whether they can be asked now or not. */
  readonly nodes: number;
}

export interface ChainsInSight {
  readonly network: NetworkInSight;
  readonly chains: ReadonlyMap<number, ChainInSight>;
}

/** What nodes show of a chain; where they do not, a sentence says why. All of it but `genesis` is proven by hashes. */
export interface ChainInSight {
  /** Of the nodes' heads the lowest and the highest. */
  readonly heights: readonly [number, number];
  /** Of all of them together: where it is the same as before, nothing is new. */
  readonly heads: string;
  readonly depth: number;
  genesis(): Promise<Anchor | string>;
  /** The block that enough nodes have at a height, deep enough. */
  blockAt(height: number): Promise<Anchor | string>;
  /** At most `most` blocks on top of the cursor, those up to `without` also where no node has their payload. */
  above(
    cursor: Anchor,
    options: { readonly most: number; readonly without?: string | undefined },
  ): Promise<BlocksAbove>;
  /** No node that can be asked has ever heard of it. */
  isUnknown(cursor: Anchor): Promise<boolean>;
  /** What a block that was taken over has below it. */
  ancestorOf(hash: string, height: number): Promise<Anchor | string>;
  /** Of a block, by the hash in its header; `undefined`: no node gives it now. */
  payload(payloadHash: Uint8Array, height: number): Promise<PayloadOutputs | undefined>;
  /** Where a node's chain leaves the blocks that were taken over (height -> hash); `undefined` where none does. */
  forkFrom(taken: ReadonlyMap<number, string>): Promise<ChainFork | undefined>;
}

interface BlocksAbove {
  /** Each is the parent of the next one. */
  readonly blocks: readonly PassedBlock[];
  /** Blocks at the depth that are still to come. */
  readonly behind: number;
  /** Why it stands still; `undefined`: it does not. */
  readonly trouble: string | undefined;
}

export interface ChainFork {
  readonly node: string;
  readonly head: { readonly height: number; readonly hash: string };
  /** The last block that both have; `undefined`: it lies below all that were asked about. */
  readonly last: { readonly height: number; readonly hash: string } | undefined;
}

/** Each one's JSON text. */
export interface PayloadOutputs {
  readonly coinbase: string;
  readonly transactions: readonly { readonly command: string; readonly output: string }[];
}
