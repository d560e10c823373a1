/** What keeps payouts from paying twice or wrongly, how it is taken out, and a test that has to fail then. */
export interface Guard {
  readonly name: string;
  readonly file: string;
  /** Stands in the file once. */
  readonly with: string;
  readonly without: string;
  /** A file, and a part of titles in it. */
  readonly test: readonly [file: string, title: string];
}
