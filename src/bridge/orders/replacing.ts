/** The order that another start takes the place of a bridge that runs; implemented by assembly, given over the web. */

/** The process that is prepared, or why there is none. */
export type Replaced = { readonly pid: number } | { readonly refused: string };

export interface Replacing {
  /** Resolves once the other start has read and checked its settings; then this one stops. */
  replace(by: string): Promise<Replaced>;
}
