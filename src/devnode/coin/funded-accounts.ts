/** Accounts that have coins on every chain from the first block on, of keys that are given or made here. */
import { createHash, randomBytes } from 'node:crypto';
import { privateKeyOf, publicHexOf } from '../../core/bytes/ed25519.js';
import type { NodeSettings } from '../settings.js';
import type { InitialBalance } from './accounts.js';

export interface FundedAccount {
  /** `k:` and the public key. */
  readonly account: string;
  readonly publicKey: string;
  /** 64 hex digits, the seed of RFC 8032; absent for a key that was given. */
  readonly secretKey?: string;
  readonly amount: string;
}

const USUAL_AMOUNT = '1000000';

/** With a seed the same keys are made again. Throws RangeError where keys would be others than those of the blocks on disk. */
export function fundedAccounts({
  accounts,
  seed,
  dataDir,
}: Pick<NodeSettings, 'accounts' | 'seed' | 'dataDir'>): FundedAccount[] {
  return accounts.map((text, i) => {
    const [name = '', amount = USUAL_AMOUNT] = text.split('=');
    if (name !== 'new') return { account: name, publicKey: name.slice('k:'.length), amount };
    if (dataDir !== '' && seed === '') {
      throw new RangeError(
        'accounts: a key that is made would be another at each start; on disk name it, or a seed',
      );
    }
    const keys = newKeys(seed, i);
    return { account: `k:${keys.publicKey}`, ...keys, amount };
  });
}

function newKeys(seed: string, place: number): { publicKey: string; secretKey: string } {
  const secret =
    seed === ''
      ? randomBytes(32)
      : createHash('sha256')
          .update(JSON.stringify([seed, 'account', place]))
          .digest();
  const secretKey = secret.toString('hex');
  return { publicKey: publicHexOf(privateKeyOf(secretKey)), secretKey };
}

export function balancesOf(accounts: readonly FundedAccount[]): InitialBalance[] {
  return accounts.map(({ account, publicKey, amount }) => ({
    account,
    guard: { pred: 'keys-all', keys: [publicKey] },
    amount,
  }));
}
