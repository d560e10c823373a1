/** Accounts that have coins on every chain from the first block on, of keys that are given or made here. */
import { createHash, createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import type { InitialBalance } from './accounts.js';

export interface AccountOrder {
  /** 64 hex digits of an Ed25519 key; by default a key is made. */
  readonly publicKey?: string;
  /** Coins on each chain, a decimal; 1,000,000 by default. */
  readonly amount?: string;
}

export interface FundedAccount {
  /** `k:` and the public key. */
  readonly account: string;
  readonly publicKey: string;
  /** 64 hex digits, the seed of RFC 8032; absent for a key that was given. */
  readonly secretKey?: string;
  readonly amount: string;
}

const USUAL_AMOUNT = '1000000';
const PUBLIC_KEY = /^[0-9a-f]{64}$/;
/** Before the seed of a private key in its usual form (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @param seed with it the same keys are made again. Throws RangeError for what is no public key. */
export function fundedAccounts(orders: readonly AccountOrder[], seed: string | undefined): FundedAccount[] {
  return orders.map(({ publicKey, amount = USUAL_AMOUNT }, i) => {
    if (publicKey !== undefined && !PUBLIC_KEY.test(publicKey)) {
      throw new RangeError('accounts: publicKey must be 64 lower-case hex digits');
    }
    const keys = publicKey === undefined ? newKeys(seed, i) : { publicKey };
    return { account: `k:${keys.publicKey}`, ...keys, amount };
  });
}

function newKeys(seed: string | undefined, place: number): { publicKey: string; secretKey: string } {
  const secret =
    seed === undefined
      ? randomBytes(32)
      : createHash('sha256')
          .update(JSON.stringify([seed, 'account', place]))
          .digest();
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, secret]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { publicKey: Buffer.from(x, 'base64url').toString('hex'), secretKey: secret.toString('hex') };
}

export function balancesOf(accounts: readonly FundedAccount[]): InitialBalance[] {
  return accounts.map(({ account, publicKey, amount }) => ({
    account,
    guard: { pred: 'keys-all', keys: [publicKey] },
    amount,
  }));
}
