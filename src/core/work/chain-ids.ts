/** The interface names chains 0 to 19, whatever network they are of. */
export const MOST_CHAINS = 20;
