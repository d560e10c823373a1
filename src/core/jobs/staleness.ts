/** Why a job counts no more: its cut has moved on, its chain is not mined any more, or too many newer ones came. */
export const STALENESSES = ['cut', 'givenUp', 'pushedOut'] as const;
export type Staleness = (typeof STALENESSES)[number];
