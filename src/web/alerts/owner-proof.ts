/** Whether somebody owns an account: by its password where the bridge asks rigs for one, or by a signature of its key. */
import { isSignedByOwner } from '../access/owner-signature.js';

export interface Proof {
  readonly password?: string | undefined;
  /** ISO 8601, of now. */
  readonly time?: string | undefined;
  /** Ed25519, as hex. */
  readonly signature?: string | undefined;
}

export interface Claim {
  readonly order: 'add' | 'remove';
  readonly account: string;
  readonly url: string;
}

/** `undefined` where accounts have no passwords. */
export type PasswordCheck = (account: string, password: string) => boolean | undefined;

/** Clocks of miners are not the best. */
const FRESH_MS = 5 * 60_000;

/** What is signed: five lines without an end. */
export function signedText({ order, account, url }: Claim, time: string): string {
  return ['stratum-bridge webhook', order, account, url, time].join('\n');
}

/** A sentence that says what is missing; `undefined` when it is proven. */
export function whyNotOwner(
  claim: Claim,
  proof: Proof,
  check: PasswordCheck,
  nowMs: number,
): string | undefined {
  if (proof.signature !== undefined) return whyNotSigned(claim, proof.signature, proof.time ?? '', nowMs);
  if (proof.password === undefined)
    return `nothing proves that ${claim.account} is yours: give password, or time and signature`;
  const isRight = check(claim.account, proof.password);
  if (isRight === undefined)
    return 'accounts have no passwords here: give time and signature, which the key of a k: account makes';
  return isRight ? undefined : `no such account and password: ${claim.account}`;
}

function whyNotSigned(claim: Claim, signature: string, time: string, nowMs: number): string | undefined {
  const isSigned = isSignedByOwner(claim.account, signedText(claim, time), signature);
  if (isSigned === undefined) return 'only an account of k: and its public key can sign';
  if (!(Math.abs(Date.parse(time) - nowMs) < FRESH_MS)) return 'time is not that of now, within five minutes';
  return isSigned ? undefined : `the signature is none of the key of ${claim.account}`;
}
