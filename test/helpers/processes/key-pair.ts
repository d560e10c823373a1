/** Keys of tests; a file of its own, as programs that tests start load nothing else of this folder. */
import { ed25519 } from '@noble/curves/ed25519.js';

export interface KeyPair {
  readonly secret: Uint8Array;
  readonly key: string;
  /** `k:` and the key. */
  readonly account: string;
  readonly keyset: { readonly pred: string; readonly keys: readonly string[] };
}

/** The keys of the vectors are those of 1 to 8. */
export function keyPair(number: number): KeyPair {
  const secret = new Uint8Array(32).fill(number);
  // Those above 255 are others, too.
  secret[0] = number + (number >> 8);
  const key = Buffer.from(ed25519.getPublicKey(secret)).toString('hex');
  return { secret, key, account: `k:${key}`, keyset: { pred: 'keys-all', keys: [key] } };
}
