/** The processes of one bridge. */

export const PROCESS_KINDS = ['bridge', 'hub', 'front'] as const;
export const PROCESS_STATES = ['starting', 'up', 'silent', 'leaving'] as const;

export interface ProcessReport {
  /** `bridge`: it does everything. `hub`: nodes, books, web. `front`: rigs. */
  readonly kind: (typeof PROCESS_KINDS)[number];
  /** 0 for the process that was started, fronts from 1 on. */
  readonly number: number;
  readonly pid: number;
  /** `silent`: it did not answer when it was asked last. `leaving`: others have its place, and its last rigs are asked to go. */
  readonly state: (typeof PROCESS_STATES)[number];
  /** Open ones. */
  readonly sessions: number;
  readonly cpuSeconds: number;
  readonly rssBytes: number;
  /** Of the event loop, the longest of the last second. */
  readonly loopDelayMs: number;
  /** Of its share log: size on disk, and shares that are not in the queue yet. */
  readonly logBytes: number;
  readonly unshipped: number;
}
