/** Whether somebody owns an account: by its password where the bridge asks rigs for one, or by a signature of its key. */
import { createPublicKey, verify } from 'node:crypto';

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
const KEY_ACCOUNT = /^k:([0-9a-f]{64})$/;
/** What stands before the 32 bytes of an Ed25519 key (RFC 8410). */
const SPKI_PREFIX = '302a300506032b6570032100';

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
  const [, key] = KEY_ACCOUNT.exec(claim.account) ?? [];
  if (key === undefined) return 'only an account of k: and its public key can sign';
  if (!(Math.abs(Date.parse(time) - nowMs) < FRESH_MS)) return 'time is not that of now, within five minutes';
  const publicKey = createPublicKey({
    key: Buffer.from(SPKI_PREFIX + key, 'hex'),
    ...{ format: 'der', type: 'spki' },
  });
  const isRight = verify(
    null,
    Buffer.from(signedText(claim, time)),
    publicKey,
    Buffer.from(signature, 'hex'),
  );
  return isRight ? undefined : `the signature is none of the key of ${claim.account}`;
}
