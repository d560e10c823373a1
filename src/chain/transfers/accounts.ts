/** Who may pay. */
import { keyOfAccount, payableFault } from '../../core/names/payable.js';

/** Who pays, and whose signatures a transfer of its coins bears. */
export interface Payer {
  readonly account: string;
  /** Those that sign, all of them: a transaction with a signer who did not sign is no transaction. 64 lower-case hex digits. */
  readonly publicKeys: readonly string[];
  /** Of the account's guard: `keys-all`, `keys-any`, `keys-2`. */
  readonly predicate: string;
}

const KEY = /^[0-9a-f]{64}$/;
/** What the contract takes (3 to 256 characters of Latin-1), without what would end or turn a text in its code. */
const NAME = /^[\x20\x21\x23-\x5b\x5d-\x7e\xa1-\xac\xae-\xff]{3,256}$/;
/** More keys than anybody guards an account with. */
const MOST_KEYS = 16;
const FEWEST_KEYS: Readonly<Record<string, number>> = { 'keys-all': 1, 'keys-any': 1, 'keys-2': 2 };

export function isPublicKey(text: string): boolean {
  return KEY.test(text);
}

/** The account of one key: its name says who may move its coins, on every chain alike. */
export function accountOfKey(publicKey: string): string {
  return `k:${publicKey}`;
}

/** The one key as the one guard. */
export function payerOfKey(publicKey: string): Payer {
  return { account: accountOfKey(publicKey), publicKeys: [publicKey], predicate: 'keys-all' };
}

/** Why this cannot pay, as a sentence; `undefined` when it can. */
export function payerFault({ account, publicKeys, predicate }: Payer): string | undefined {
  if (!NAME.test(account))
    return 'the name of the paying account has 3 to 256 printable characters of Latin-1, without " and \\';
  const fewest = FEWEST_KEYS[predicate];
  if (fewest === undefined) return `its predicate is keys-all, keys-any or keys-2, and not ${predicate}`;
  if (publicKeys.length < fewest || publicKeys.length > MOST_KEYS)
    return `with ${predicate} it signs with ${fewest} to ${MOST_KEYS} keys, and not ${publicKeys.length}`;
  const odd = publicKeys.find((key) => !isPublicKey(key));
  if (odd !== undefined) return 'a public key has 64 hex digits in small letters';
  if (new Set(publicKeys).size < publicKeys.length) return 'the same key signs once';
  const own = keyOfAccount(account);
  if (own === undefined && account.startsWith('k:')) return payableFault(account);
  if (own !== undefined && (publicKeys.join() !== own || predicate === 'keys-2'))
    return 'the account is named by another key than those that sign';
  return undefined;
}
