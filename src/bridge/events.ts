/**
 * What can be watched. Metrics, logs and the web listen; with every listener removed no verdict changes.
 */
import { EventEmitter } from 'node:events';
import type { Job } from '../core/job.js';
import type { Rejection, Solution, Spent } from '../core/share.js';
import type { Difficulty } from '../core/target.js';
import type { SolutionState } from './ports.js';

export type Transport = 'ws' | 'tcp' | 'cpu';

export interface SessionInfo {
  /** Unique among all sessions of this process. */
  readonly id: number;
  readonly transport: Transport;
  /** Address and port of the rig, or the thread's name. */
  readonly peer: string;
}

/** One submit as judged. `difficulty` is what was credited; absent on a rejection. */
export interface SubmitEvent {
  readonly session: SessionInfo;
  readonly account: string;
  readonly rig: string;
  readonly jobId: string;
  readonly outcome: 'accepted' | Rejection;
  readonly detail: string;
  readonly difficulty?: Difficulty;
  /** Of accepted submits and of those that came too late. */
  readonly spent?: Spent;
  /** Of rejected submits whose job is known: what they would have been credited. */
  readonly claimed?: Difficulty;
  /** From the submit read to its answer; absent where nobody waits for one, as with the CPU. */
  readonly tookMs?: number;
}

/**
 * `stalled` answers no more, or has no work; `away` cannot be reached or gives nonsense; `quarantined` gives work that
 * is not to be trusted: another network, a wrong clock, far behind.
 */
export const NODE_STATES = [
  'starting',
  'healthy',
  'stalled',
  'away',
  'unauthorized',
  'disabled',
  'quarantined',
] as const;
export type NodeState = (typeof NODE_STATES)[number];

export interface NodeReport {
  readonly url: string;
  readonly state: NodeState;
  /** Empty while the network is unknown. */
  readonly network: string;
  /** Why it is in this state, in words that say what to do. */
  readonly reason: string;
  /** Rigs work for this one now. */
  readonly isActive: boolean;
  /** Chains that it has given live work for. */
  readonly chains: number;
  /** Sent to it since the start: work, streams and probes. */
  readonly requests: number;
}

export interface BridgeEventMap {
  job: [job: Job];
  /** Written to the last session, so long after that was heard which led to it. */
  jobSent: [job: Job, delayMs: number];
  /** Nobody works on these any more, so long after that was heard which led to it. */
  chainsRetired: [chainIds: readonly number[], delayMs: number];
  sessionOpened: [session: SessionInfo];
  sessionAuthorized: [session: SessionInfo, account: string, rig: string, agent: string];
  sessionClosed: [session: SessionInfo, reason: string];
  submit: [event: SubmitEvent];
  solutionFound: [solution: Solution];
  /** The last word on a solution; `detail` holds the node's words. */
  solutionSettled: [solution: Solution, state: SolutionState, detail: string];
  /** Found for a work that another solution has solved: no node would take it. */
  solutionSuperseded: [solution: Solution];
  node: [report: NodeReport];
}

export type BridgeEvents = EventEmitter<BridgeEventMap>;

export function createBridgeEvents(): BridgeEvents {
  return new EventEmitter<BridgeEventMap>();
}
