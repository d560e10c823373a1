/** What holds in the payer of design.md 7, each of which can be taken out to see what it is good for. */
export const RULES = {
  readsAll: 'blocks are read for commands also while nobody pays',
  reopensDead: 'a block that is undone opens again what was dead by its time',
  waitsForAll: 'who takes the role waits for the cursor of every chain',
  covers: 'a transaction is built only where the balance covers all open lines of its account',
  comparesToken: 'each commit of the holder names the token that it last wrote',
  alwaysWaits: 'every taking of the role waits, also by a machine that seems to be the one before',
  takesLater: 'the time of the taking is the later one of the clock and of the newest block seen',
  entersAlways: 'a command that the books do not know is entered whenever it is met',
  settlesSkipped: 'a block that is passed by order has its commands settled by hand',
  holderPauses: 'only the holder pauses for it, once it knows that the ledger did not go back',
  standsStill: 'nothing is built on a chain whose head does not carry the cursor',
  factsWin: 'a command that is found on the chain is booked, whatever the books thought of it',
} as const;
export type Rule = keyof typeof RULES;

/** What must never be. */
export class Wrong extends Error {
  constructor(
    kind: 'paid twice' | 'not paid' | 'books differ' | 'paused for nothing' | 'cannot be booked',
    words: string,
  ) {
    super(`${kind}: ${words}`);
  }
}
