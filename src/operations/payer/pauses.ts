/** Why payments on chain pause: nothing is built, signed or sent for the first time. What was sent before is sent again. */

interface Pause {
  /** After "payments are paused:". */
  readonly means: string;
  /** What to do. */
  readonly advice: string;
}

/** Each lasts until a person ends it by `ledger payout resume`, with a note. */
export const PAUSES = {
  ordered: { means: 'by order', advice: 'resume when the reason for it is over' },
  foreignDebit: {
    means: 'coins left the paying account, and no command of this ledger moved them',
    advice:
      'find out who has the key: where nobody should have moved them, make a new key and move the coins (`ledger payout rebind`)',
  },
  anotherPayer: {
    means: 'a payment of this ledger was found that it did not know',
    advice:
      'a copy of this ledger pays with the same key: stop it. What it paid is booked here, and an account that was paid twice earns that before it is paid again',
  },
  paidAfterAll: {
    means: 'a payment was found that had been taken for dead or failed',
    advice: 'it is booked: look at what the account was paid (`ledger payout transactions`), then resume',
  },
  differs: {
    means: 'what a block says of a payment is not what was signed',
    advice:
      'settle its line by hand (`ledger payout settle`) once you know what moved, and look whether the network runs another coin contract',
  },
  contract: {
    means: 'coins moved by a coin contract that this version does not know',
    advice: 'look for a version of this program that knows it before resuming',
  },
  guard: {
    means: 'the paying account has another guard than the key that signs',
    advice: 'give the key of that guard, or move the coins to the account of a key that you have',
  },
  gasPrice: {
    means: 'nodes take nothing at the highest gas price that is allowed',
    advice: 'raise payouts.maxGasPrice where that is the price of the day, then resume',
  },
  skipped: {
    means: 'blocks were taken over without their payloads, and what they held of payments nobody has read',
    advice: 'settle the lines of open transactions there by hand (`ledger payout settle`), then resume',
  },
  dryRuns: {
    means: 'most payments fail alike in a dry run',
    advice: 'look at the paying account and at the nodes, then resume: nobody is held for it',
  },
} as const satisfies Readonly<Record<string, Pause>>;

export type PauseReason = keyof typeof PAUSES;
export const PAUSE_REASONS = Object.keys(PAUSES) as PauseReason[];
