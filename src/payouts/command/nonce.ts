/**
 * What a command of ours bears, so that it is known again on the chain, whatever became of the books. `sb1` names the form of the command:
 * another form gets another number, so that a reader knows it.
 */

/** Which attempt of which payment of which ledger. */
export interface Attempt {
  /** Of the books, also when they are restored: letters, digits and hyphens. */
  readonly ledgerId: string;
  /** Digits. */
  readonly paymentId: string;
  /** From 1 on. */
  readonly attempt: number;
}

const NONCE = /^sb1:([0-9A-Za-z-]{1,64}):([1-9]\d{0,18}):([1-9]\d{0,8})$/;

/** `sb1:<ledger id>:<payment>:<attempt>`. Throws RangeError for what is none. */
export function nonceOf({ ledgerId, paymentId, attempt }: Attempt): string {
  const nonce = `sb1:${ledgerId}:${paymentId}:${attempt}`;
  if (!NONCE.test(nonce)) throw new RangeError(`this is no attempt of a payment of a ledger: ${nonce}`);
  return nonce;
}

/** `undefined` for what no bridge wrote. */
export function readNonce(nonce: string): Attempt | undefined {
  const [, ledgerId, paymentId, attempt] = NONCE.exec(nonce) ?? [];
  if (ledgerId === undefined || paymentId === undefined) return undefined;
  return { ledgerId, paymentId, attempt: Number(attempt) };
}
