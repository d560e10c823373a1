/**
 * What can be watched. Metrics, logs and the web listen; with every listener removed no verdict changes.
 */

import { EventEmitter } from 'node:events';
import type { Job } from '../core/jobs/job.js';
import type { Name } from '../core/names/names.js';
import type { Rejection } from '../core/shares/rejections.js';
import type { Solution, Spent } from '../core/shares/share.js';
import type { Difficulty } from '../core/work/target.js';
import type { Ban } from '../operations/bans.js';
import type { Drain } from '../operations/drain.js';
import type { AddressListName, NodeState } from '../operations/enums.js';
import type { Message } from '../operations/rigs.js';
import type { SolutionState } from './ports.js';

export type Transport = 'ws' | 'tcp' | 'cpu';

export interface SessionInfo {
  /** Unique among all sessions of this process. */
  readonly id: number;
  readonly transport: Transport;
  /** Address and port of the rig, or the thread's name. */
  readonly peer: string;
  /** The name of the port of ours that it came in by; absent of a CPU thread. */
  readonly port?: string;
}

/** One submit as judged. `difficulty` is what was credited; absent on a rejection. */
export interface SubmitEvent {
  readonly session: SessionInfo;
  readonly account: string;
  readonly rig: string;
  readonly jobId: string;
  readonly outcome: 'accepted' | Rejection;
  readonly detail: string;
  readonly difficulty?: Difficulty | undefined;
  /** Of accepted submits: the difficulty that the hash would meet. */
  readonly reached?: number | undefined;
  /** Of accepted submits and of those that came too late. */
  readonly spent?: Spent | undefined;
  /** Of rejected submits whose job is known: what they would have been credited. */
  readonly claimed?: Difficulty | undefined;
  /** From the submit read to its answer; absent where nobody waits for one, as with the CPU. */
  readonly tookMs?: number | undefined;
}

/** What a node's works say of forks of the network. Votes are counted in blocks, each chain for itself. */
export interface NodeForks {
  readonly number: number;
  readonly leastVotes: number;
  readonly mostVotes: number;
  /** Its own work adds a vote for the next fork; `undefined` where that is not known, or no votes are cast for now. */
  readonly isFor: boolean | undefined;
  /** The next fork has the votes that it needs: it comes with the end of the epoch. */
  readonly isNear: boolean;
  /** False where another node's work for the same block says otherwise; `undefined` where there is none to compare with. */
  readonly agrees: boolean | undefined;
  /** Another node is on a higher fork number: this one may be too old to follow. */
  readonly isPassed: boolean;
}

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
  /** Sum of the heights of all chains, as it has told last; `undefined` where it does not, or gives no work. */
  readonly cutHeight?: number | undefined;
  /** Milliseconds since any of its update streams said anything; `undefined` while none has. */
  readonly silentMs?: number | undefined;
  /** `undefined` while it gives no work. */
  readonly forks?: NodeForks | undefined;
}

/** One session and never another: after a restart its number is given out again. */
export interface SessionRef {
  readonly id: number;
  readonly openedAt: string;
}

type WithoutText<Order> = Order extends unknown ? Omit<Order, 'text'> : never;

/** Whom a message is for. */
export type Audience = WithoutText<Message>;

/** What an operator has ordered and was done, besides bans and drains, which have events of their own. */
export type OperatorAction = { readonly by: string } & (
  | {
      readonly kind: 'close';
      readonly session: SessionRef;
      readonly peer: string;
      /** That it mined for first; `undefined` when it had named none. */
      readonly login: Name | undefined;
      readonly reason: string;
    }
  /** Expected hashes as a decimal; `null`: it is cleared. */
  | ({ readonly kind: 'difficulty'; readonly difficulty: string | null } & Name)
  /** `null`: it has none any more. */
  | ({ readonly kind: 'label'; readonly label: string | null } & Name)
  | {
      readonly kind: 'addresses';
      readonly list: AddressListName;
      readonly addresses: string;
      /** On the list now; otherwise taken from it. */
      readonly isOn: boolean;
      /** Sessions that were ended by it. */
      readonly closed: number;
    }
  | { readonly kind: 'message'; readonly audience: Audience; readonly text: string; readonly told: number }
);

interface BridgeEventMap {
  job: [job: Job];
  /** Written to the last session, so long after that was heard which led to it. */
  jobSent: [job: Job, delayMs: number];
  /** Nobody works on these any more, so long after that was heard which led to it. */
  chainsRetired: [chainIds: readonly number[], delayMs: number];
  sessionOpened: [session: SessionInfo];
  sessionAuthorized: [session: SessionInfo, account: string, rig: string, agent: string];
  sessionClosed: [session: SessionInfo, reason: string];
  submit: [event: SubmitEvent];
  /** In force from now on: an operator's, or one of the bridge itself, which names nobody. */
  banned: [ban: Ban];
  /** In force no more: taken back by somebody, or over, when nobody is named. */
  unbanned: [ban: Ban, by: string | undefined];
  /** It has begun, come to an end, or been cancelled by `by`: then its state is `off`. */
  drain: [report: Drain, by: string];
  /** What else an operator has ordered and was done. */
  steered: [deed: OperatorAction];
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
