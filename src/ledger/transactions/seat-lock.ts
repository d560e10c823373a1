/** Any constant: who pays holds this advisory lock. Below 2^32, as its place in `pg_locks` is taken to be. */
export const PAYER_LOCK = 0x5b_9a1d;
