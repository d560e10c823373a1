/** What keeps payments from being made twice, or wrongly: how it is taken out, and what comes out then. */

/** Of a source what is another one without the guard. It stands there once. */
export type Change = readonly [file: string, text: string, instead: string];

export interface Guard {
  readonly guard: string;
  readonly out: readonly Change[];
  /** Of {@link Stories}. */
  readonly story: string;
  /** How it ends without the guard. */
  readonly ends: string;
  /** What stands before the guard, and is taken out too to see it work; how it ends by the guard alone. */
  readonly behind?: readonly Change[];
  readonly caught?: string;
}

export interface Story {
  /** How it ends with all guards. */
  readonly well: string;
  readonly tell: () => Promise<string>;
}

export type Stories = Readonly<Record<string, Story>>;
