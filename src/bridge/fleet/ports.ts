/**
 * What crosses between the hub and a front of a bridge of many processes. Plain data alone: it is copied on its way.
 *
 * Times of one machine's steady clock (`steadyMs`) mean the same in all its processes.
 */

import type { Posted, SolutionAnswer } from '../ports.js';

/** A work as its node handed it out. */
export interface PlainWork {
  /** Chain id, block target, header: 322 bytes. */
  readonly bytes: Uint8Array;
  readonly node: string;
}

/** Works and what belongs to them, from the hub to each front. Casts: nothing comes back. */
export interface FrontWorks {
  /** @param ageMs since the hub had it from its node: times of before then may have been given in this front's place. */
  offerWork(work: PlainWork, causedAtMs: number, ageMs: number): void;
  retireWork(chainId: number, causedAtMs: number): void;
  replaceWorks(works: readonly PlainWork[], node: string, causedAtMs: number): void;
  /** Chains on which a rig may begin. */
  handsOut(chainIds: readonly number[]): void;
  /** The front's number among all that search nonces. */
  number(instance: number): void;
  /** How far the steady clock is ahead of that of the books. */
  booksClock(aheadMs: number): void;
}

/** What each front has, so that one that has too much gives new connections away. Casts. */
export interface FrontBalance {
  loads(loads: readonly Load[]): void;
}

export interface Load {
  readonly front: number;
  readonly sessions: number;
  /** Of the event loop, at the most since the last time. */
  readonly delayMs: number;
}

/** A solution of a front on its way to the hub. */
export interface PlainSolution {
  readonly work: PlainWork;
  readonly job: {
    readonly number: number;
    readonly group: number;
    readonly clean: boolean;
    /** Creation time, microseconds since the epoch. */
    readonly time: bigint;
  };
  /** `now`: the front posts it itself, and tells the answer. */
  readonly posted: Posted;
  readonly nonce: bigint;
  readonly powHash: Uint8Array;
  readonly account: string;
  readonly rig: string;
  readonly foundAtMs: number;
}

/** `SolutionAnswer`, its error in words. */
export type PlainAnswer =
  | Exclude<SolutionAnswer, { outcome: 'unanswered' }>
  | { readonly outcome: 'unanswered'; readonly error: string };

/** What the front's log says. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly words: string;
}

/** What a front has of the hub. */
export interface HubDesk {
  /** Resolves once the hub has it for good: it is being posted, and in the journal. */
  takeSolution(solution: PlainSolution): Promise<void>;
  /** What the node said to the front's own post; a cast, after `takeSolution`. */
  answered(powHash: Uint8Array, answer: PlainAnswer): void;
  /** Of a producer's entries between two numbers those that the books do not have, ascending, the first `limit` of them. */
  missingEntries(producer: string, first: number, last: number, limit: number): Promise<readonly number[]>;
  /** Rejects while the books do not answer. */
  announceProducer(producer: string, place: string): Promise<void>;
  /** A cast. */
  log(lines: readonly LogLine[]): void;
  /** Some times a second, a cast. */
  load(load: Omit<Load, 'front'>): void;
  /** Once a second, a cast: also the sign that the front lives. */
  beat(beat: Beat): void;
}

/** How a front does. */
export interface Beat {
  readonly sessions: number;
  /** Sessions that came in by each port, by its name. */
  readonly ports: Readonly<Record<string, number>>;
  /** Sessions on each live chain. */
  readonly crowds: readonly (readonly [chainId: number, sessions: number])[];
  readonly rssBytes: number;
  readonly cpuSeconds: number;
  /** Of the event loop over the last second, at the most. */
  readonly loopDelayMs: number;
  /** Of its share log: bytes on disk, shares that are not shipped yet, and the age of the oldest of them. */
  readonly logBytes: number;
  readonly unshipped: number;
  readonly oldestMs: number;
}
