/** How long the works of a node are waited for, and how often they are asked for. */

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
