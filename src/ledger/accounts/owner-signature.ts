/** Signatures by the key that names an account. */
import { createPublicKey, verify } from 'node:crypto';

const KEY_ACCOUNT = /^k:([0-9a-f]{64})$/;
/** What stands before the 32 bytes of an Ed25519 key (RFC 8410). */
const SPKI_PREFIX = '302a300506032b6570032100';

/** Whether only the owner of this account can have signed it; `undefined` for an account that is not named by its key. */
export function isSignedByOwner(account: string, text: string, signatureHex: string): boolean | undefined {
  const [, key] = KEY_ACCOUNT.exec(account) ?? [];
  if (key === undefined) return undefined;
  const spki = { key: Buffer.from(SPKI_PREFIX + key, 'hex'), format: 'der', type: 'spki' } as const;
  return verify(null, Buffer.from(text), createPublicKey(spki), Buffer.from(signatureHex, 'hex'));
}
