/** Signatures by the key that names an account. */
import { isSignedBy } from '../bytes/ed25519.js';
import { keyOfAccount } from './payable.js';

/** Whether only the owner of this account can have signed it; `undefined` for an account that is not named by its key. */
export function isSignedByOwner(account: string, text: string, signature: string): boolean | undefined {
  const key = keyOfAccount(account);
  return key === undefined ? undefined : isSignedBy(key, text, signature);
}
