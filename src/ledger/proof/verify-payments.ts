/** Proves of payments on chain what the books can prove by themselves. What the chain has is compared by `ledger payout reconcile`. */
import { type Ask, type RowOf, statementsOf } from '../database/statements.js';
import { type Proof, SHOWN } from './proof.js';

const SQL = statementsOf('proof/verify-payments.sql');

/** A transaction as the books have it, with its line. */
export type KeptTransaction = RowOf<typeof SQL.transactions>;

/** What differs between the text that is signed and all else that the books say of it: a sentence each, that follows on its number. */
export type CheckCommand = (kept: KeptTransaction) => readonly string[];

const CHECKS = [
  ['alive', 'I3: a payment has at most one transaction that is not dead'],
  ['attempts', 'I5: another attempt was made only after the one before was shown to be dead'],
  ['lines', 'I2: a payment is paid exactly where one transaction of it is in a block deep enough'],
  [
    'moves',
    'money was moved once for each transaction that was confirmed, refused or returned, and for no other',
  ],
  ['gas', 'what gas took is what the transactions paid for it'],
  ['content', 'the lines of a batch are those of its content hash, which is what is approved'],
  [
    'chains',
    'I6: what was read of the account adds up, and what transactions took is in it, as far as the books know',
  ],
] as const;

const PAGE = 1_000;

/** @param check absent: the texts are not read. */
export async function paymentProofs(ask: Ask, check: CheckCommand | undefined): Promise<Proof[]> {
  const proofs: Proof[] = [];
  for (const [name, says] of CHECKS) {
    const broken = (await ask(SQL[name])).map((row) => row.says);
    proofs.push({ name: `payments ${name}`, says, broken: broken.slice(0, SHOWN), noted: [] });
  }
  const commands = check && (await brokenCommands(ask, check));
  if (!commands) return proofs;
  const says =
    'I4: the request key is the hash of the text that is signed, and its one transfer is the payment';
  proofs.push({ name: 'payments commands', says, broken: commands.broken, noted: [] });
  if (commands.read > 0) proofs.push(ON_CHAIN);
  return proofs;
}

/** What is wrong with the books, as far as it concerns payments and is asked quickly: sentences, at most {@link SHOWN}. */
export async function paymentFaults(ask: Ask): Promise<readonly string[]> {
  return (await ask(SQL.now, [SHOWN])).map(({ says }) => says);
}

/** That nobody takes a proof of the books for one of the chain. */
const ON_CHAIN: Proof = {
  name: 'payments chain',
  says: 'what the chain has is what the books say',
  broken: [],
  noted: [
    'I6, I8, I9 and I10 are about what is on the chain: `ledger payout reconcile` compares that with the books',
  ],
};

async function brokenCommands(
  ask: Ask,
  check: CheckCommand,
): Promise<{ readonly broken: readonly string[]; readonly read: number }> {
  const broken: string[] = [];
  let [last, read] = ['0', 0];
  for (;;) {
    const kept = await ask(SQL.transactions, [last, PAGE]);
    if (kept.length === 0 || broken.length > SHOWN) return { broken: broken.slice(0, SHOWN), read };
    for (const one of kept)
      broken.push(...check(one).map((says) => `transaction ${one.id} of payment ${one.paymentId}: ${says}`));
    last = kept.at(-1)?.id ?? last;
    read += kept.length;
  }
}
