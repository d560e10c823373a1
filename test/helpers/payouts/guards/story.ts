/** What happens to a payer, or is asked of a signer, and what comes out. */
export interface Story {
  /** What comes out with all guards. */
  readonly well: string;
  readonly tell: () => Promise<string>;
}

export type Stories = Readonly<Record<string, Story>>;
