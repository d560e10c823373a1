/** What the works of a node need from outside, and how often they are asked for. */
import type { WorkSink } from '../../bridge/ports.js';
import type { Log } from '../../core/names/log.js';
import type { ClientOptions, Miner } from '../../node-client/client.js';
import type { NodeRules } from '../node-state.js';

/** Chosen after what real nodes do; each is an option so that tests need not wait. */
export interface WorkTimings {
  /**
   * A node without ready work keeps the request open; asking again costs it nothing. What is lost on the way is asked for
   * again after this time too, so it is less than the two seconds in which rigs are to be back at work.
   */
  readonly workTimeoutMs: number;
  /** Fetched again this often without any event. Nodes forget a payload 300 s after they last handed it out. */
  readonly refreshMs: number;
  /** The reference miner gives up on a stream after five block times of 30 s. */
  readonly silenceMs: number;
  /** Pause before looking again for chains that could not be had. */
  readonly seekMs: number;
  /** Rigs that come back may bring shares of jobs for so long. */
  readonly lateMs: number;
  /** Longest pause before a node in trouble is asked again. */
  readonly troubleMs: number;
}

export const WORK_TIMINGS: WorkTimings = {
  workTimeoutMs: 1_500,
  refreshMs: 30_000,
  silenceMs: 150_000,
  seekMs: 1_000,
  lateMs: 330_000,
  troubleMs: 1_000,
};

/** A node that answers again after a second and a half has cost less than a switch and the way back. */
export const NODE_RULES: NodeRules = { switchAfterMs: 1_500, failbackAfterMs: 30_000 };

export interface WorkSourceOptions {
  readonly url: string;
  readonly miner: Miner;
  /** TLS and headers. */
  readonly connect?: ClientOptions | undefined;
  readonly sink: Pick<WorkSink, 'offerWork' | 'retireWork'>;
  /** The node's state, reason or network is another. */
  readonly onStatus: () => void;
  /** How many rigs work on a chain: the least crowded are given up first. */
  readonly sessionsOn?: ((chainId: number) => number) | undefined;
  readonly log: Log;
  readonly random: () => number;
  /** Milliseconds, rising. */
  readonly now: () => number;
  readonly timings?: Partial<WorkTimings>;
  readonly rules?: NodeRules;
}
