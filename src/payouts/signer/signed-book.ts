/** What was signed, in memory, and what may be: the rules of the signer log, without its file. */
import { type Amount, amountLiteral } from '../../core/money/amount.js';
import type { Attempt } from '../command/nonce.js';

/** What is asked to be signed, as its text says. */
export interface Signing extends Attempt {
  readonly requestKey: string;
  readonly chainId: number;
  readonly amount: Amount;
  /** Seconds of the chain's time, in which a block may have it. */
  readonly creationTimeS: number;
  readonly ttlS: number;
}

interface Bounds {
  /** In 24 hours; `undefined`: as much as is asked. */
  readonly daySum: Amount | undefined;
  /** Payments in memory. */
  readonly most: number;
}

/** `known`: it was signed before, to the byte, and may be again. */
type Judgement =
  | { readonly is: 'new' }
  | { readonly is: 'known' }
  | { readonly is: 'refused'; readonly why: string };

interface Held extends Signing {
  readonly atMs: number;
  readonly isDead: boolean;
}

const DAY_MS = 86_400_000;
const NEW: Judgement = { is: 'new' };
const KNOWN: Judgement = { is: 'known' };
const refused = (why: string): Judgement => ({ is: 'refused', why });
const placeOf = ({ ledgerId, paymentId }: Attempt): string => `${ledgerId}:${paymentId}`;

export class SignedBook {
  /** The last command of each payment, by ledger and payment. */
  readonly #payments = new Map<string, Held>();
  /** Of the request key of each of them, its place. */
  readonly #places = new Map<string, string>();
  /** By ledger: up to which payment nothing is signed that is not held. */
  readonly #closed: Map<string, bigint>;
  /** Of the last day, the oldest first; dead or not. */
  readonly #recent: { readonly atMs: number; readonly amount: Amount }[] = [];
  /** Of all in `#recent`. */
  #sum: Amount = 0n;

  constructor(closed: ReadonlyMap<string, bigint> = new Map()) {
    this.#closed = new Map(closed);
  }

  get size(): number {
    return this.#payments.size;
  }

  /** Signed in the 24 hours before that. */
  daySum(nowMs: number): Amount {
    const fresh = this.#recent.findIndex(({ atMs }) => atMs > nowMs - DAY_MS);
    const past = this.#recent.splice(0, fresh < 0 ? this.#recent.length : fresh);
    for (const { amount } of past) this.#sum -= amount;
    return this.#sum;
  }

  /** Each as if those before it that may be signed were signed. */
  judge(signings: readonly Signing[], bounds: Bounds, nowMs: number): Judgement[] {
    const planned = new Map<string, Signing>();
    let sum = this.daySum(nowMs);
    return signings.map((one) => {
      const judgement = this.#judge(one, planned) ?? this.#bound(one, bounds, planned.size, sum);
      if (judgement.is !== 'new') return judgement;
      planned.set(placeOf(one), one);
      sum += one.amount;
      return judgement;
    });
  }

  /** It is signed. */
  note(one: Signing, atMs: number): void {
    const place = placeOf(one);
    const former = this.#payments.get(place);
    if (former) this.#places.delete(former.requestKey);
    this.#payments.set(place, { ...one, atMs, isDead: false });
    this.#places.set(one.requestKey, place);
    this.#recent.push({ atMs, amount: one.amount });
    this.#sum += one.amount;
  }

  /** False where it does not hold it, or holds it as dead. */
  isLive(requestKey: string): boolean {
    return this.#held(requestKey)?.isDead === false;
  }

  noteDead(requestKey: string): void {
    const held = this.#held(requestKey);
    if (held) this.#payments.set(placeOf(held), { ...held, isDead: true });
  }

  /** Up to which payment each ledger is closed, when all is left out that was signed before; and how many payments that are. */
  closedBefore(beforeMs: number): { readonly closed: ReadonlyMap<string, bigint>; readonly left: number } {
    const closed = new Map(this.#closed);
    let left = 0;
    for (const { ledgerId, paymentId, atMs } of this.#payments.values()) {
      if (atMs > beforeMs) continue;
      left++;
      const number = BigInt(paymentId);
      if (number > (closed.get(ledgerId) ?? 0n)) closed.set(ledgerId, number);
    }
    return { closed, left };
  }

  #held(requestKey: string): Held | undefined {
    const place = this.#places.get(requestKey);
    return place === undefined ? undefined : this.#payments.get(place);
  }

  /** By what was signed of the same payment; `undefined` where nothing of it stands in the way. */
  #judge(one: Signing, planned: ReadonlyMap<string, Signing>): Judgement | undefined {
    const place = placeOf(one);
    const beside = planned.get(place);
    if (beside?.requestKey === one.requestKey) return KNOWN;
    if (beside) return refused(`payment ${one.paymentId} is asked for with another command beside this one`);
    const held = this.#payments.get(place);
    if (!held) return this.#judgeUnheld(one);
    if (held.requestKey === one.requestKey)
      return held.isDead ? refused(`this command of payment ${one.paymentId} is dead`) : KNOWN;
    const former = `attempt ${held.attempt}, ${held.requestKey}`;
    if (!held.isDead)
      return refused(`payment ${one.paymentId} has another command that is not dead (${former})`);
    if (one.attempt <= held.attempt)
      return refused(`payment ${one.paymentId} is past attempt ${one.attempt} (${former})`);
    return undefined;
  }

  #judgeUnheld({ ledgerId, paymentId }: Signing): Judgement | undefined {
    const closed = this.#closed.get(ledgerId);
    if (closed === undefined || BigInt(paymentId) > closed) return undefined;
    return refused(
      `payment ${paymentId} is closed: all up to ${closed} were signed long ago, or passed over`,
    );
  }

  #bound({ amount }: Signing, { daySum, most }: Bounds, more: number, sum: Amount): Judgement {
    if (this.size + more >= most) return refused(`the log holds ${this.size} payments, and takes no more`);
    if (daySum === undefined || sum + amount <= daySum) return NEW;
    const [one, all, limit] = [amount, sum + amount, daySum].map(amountLiteral);
    return refused(`with these ${one} it would have signed ${all} in 24 hours, and its limit is ${limit}`);
  }
}
