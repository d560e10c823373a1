/** Gas of one payment: some 350 are used, and one that fails on chain costs all of it. */
export const GAS_LIMIT = 1_000;

/** Offered for a unit at first, 0.00000001 coins; more where nodes ask for it. In the smallest unit of coins. */
export const GAS_PRICE = 10_000n;
