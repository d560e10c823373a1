/** What was signed, in memory, and what may be: the rules of the signer log, without its file. */
import { type Amount, amountLiteral } from '../../core/money/amount.js';
import type { Attempt } from '../command/nonce.js';
import type { SignRequest } from './signer.js';

type Signing = Pick<SignRequest, keyof Attempt | 'requestKey' | 'amount'>;

interface Bounds {
  /** In 24 hours; `undefined`: as much as is asked. */
  readonly daySum: Amount | undefined;
  /** Commands in memory. */
  readonly most: number;
}

/** `known`: it was signed before, to the byte, and may be again. `failed`: it is not the command that is at fault. */
export type Judgement =
  | { readonly is: 'new' }
  | { readonly is: 'known' }
  | { readonly is: 'refused' | 'failed'; readonly why: string };

interface Signed {
  readonly requestKey: string;
  readonly attempt: number;
  readonly amount: Amount;
  readonly atMs: number;
  isDead: boolean;
}

const DAY_MS = 86_400_000;
const refused = (why: string): Judgement => ({ is: 'refused', why });
const paymentOf = ({ ledgerId, paymentId }: Attempt): string => `${ledgerId}:${paymentId}`;

export class SignedBook {
  /** Every command, by its request key. */
  readonly #commands = new Map<string, Signed>();
  /** The last command of each payment. */
  readonly #payments = new Map<string, Signed>();

  get payments(): number {
    return this.#payments.size;
  }

  /**
   * Signed in the 24 hours before that, dead or not. It is added up anew each time, and nothing is dropped: a clock that goes
   * ahead and comes back finds what it left. What was signed by a clock ahead counts until that time is over.
   */
  daySum(nowMs: number): Amount {
    let sum: Amount = 0n;
    for (const { atMs, amount } of this.#commands.values()) if (atMs > nowMs - DAY_MS) sum += amount;
    return sum;
  }

  /** Each as if those before it that may be signed were signed. */
  judge(signings: readonly Signing[], bounds: Bounds, nowMs: number): Judgement[] {
    const planned = new Map<string, Signing>();
    let sum = bounds.daySum === undefined ? 0n : this.daySum(nowMs);
    return signings.map((one) => {
      const beside = planned.get(paymentOf(one));
      const judgement =
        this.#judge(one, beside) ??
        boundOf(one, bounds, { commands: this.#commands.size + planned.size, sum });
      if (judgement.is !== 'new') return judgement;
      planned.set(paymentOf(one), one);
      sum += one.amount;
      return judgement;
    });
  }

  /** It is signed. */
  note(one: Signing, atMs: number): void {
    const { requestKey, attempt, amount } = one;
    const signed = { requestKey, attempt, amount, atMs, isDead: false };
    this.#commands.set(requestKey, signed);
    this.#payments.set(paymentOf(one), signed);
  }

  /** False where it was not signed, or is dead. */
  isLive(requestKey: string): boolean {
    return this.#commands.get(requestKey)?.isDead === false;
  }

  noteDead(requestKey: string): void {
    const signed = this.#commands.get(requestKey);
    if (signed) signed.isDead = true;
  }

  /** By what was signed of the same payment, or is about to be; `undefined` where nothing of it stands in the way. */
  #judge(one: Signing, beside: Signing | undefined): Judgement | undefined {
    const { requestKey, paymentId, attempt } = one;
    const same = beside?.requestKey === requestKey ? { isDead: false } : this.#commands.get(requestKey);
    if (same) return same.isDead ? refused(`this command of payment ${paymentId} is dead`) : { is: 'known' };
    if (beside) return refused(`payment ${paymentId} is asked for with another command beside this one`);
    const last = this.#payments.get(paymentOf(one));
    if (!last) return undefined;
    const former = `attempt ${last.attempt}, ${last.requestKey}`;
    if (!last.isDead) return refused(`payment ${paymentId} has another command that is not dead (${former})`);
    if (attempt <= last.attempt)
      return refused(`payment ${paymentId} is past attempt ${attempt} (${former})`);
    return undefined;
  }
}

function boundOf(
  { amount }: Signing,
  { daySum, most }: Bounds,
  { commands, sum }: { readonly commands: number; readonly sum: Amount },
): Judgement {
  if (commands >= most)
    return {
      is: 'failed',
      why: `the signer log holds ${most} commands and takes no more: make a new key with its log (ledger payout key new), and pay from its account`,
    };
  if (daySum === undefined || sum + amount <= daySum) return { is: 'new' };
  const [one, all, limit] = [amount, sum + amount, daySum].map(amountLiteral);
  return refused(`with these ${one} it would have signed ${all} in 24 hours, and its limit is ${limit}`);
}
