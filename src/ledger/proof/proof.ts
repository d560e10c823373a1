/** What a check of the books has found. */
export interface Proof {
  readonly name: string;
  /** What the check says when it holds. */
  readonly says: string;
  /** Rows that break it; none when it holds. At most {@link SHOWN}. */
  readonly broken: readonly string[];
  /** What the books hold but people should know; at most {@link SHOWN}. */
  readonly noted: readonly string[];
}

/** Broken rows that are shown of a check. */
export const SHOWN = 20;
