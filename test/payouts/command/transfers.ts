/** Transfers as they come, for properties. */
import fc from 'fast-check';
import { payerOfKey } from '../../../src/chain/transfers/accounts.js';
import type { Transfer } from '../../../src/chain/transfers/transfer.js';
import { nonceOf } from '../../../src/payouts/command/nonce.js';
import { keyPair } from '../../helpers/processes/key-pair.js';

const hexKey = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));

/** Amounts of every size, those at the edges often. */
export const amounts = fc.oneof(
  fc.constantFrom(1n, 10n ** 12n, 10n ** 12n - 1n, 123_456_789_012n, 10n ** 32n),
  fc.bigInt(1n, 10n ** 32n),
);

const payers = fc.oneof(
  hexKey.map(payerOfKey),
  fc.record({
    account: fc.constantFrom(
      'pool-joint',
      'w:39o_ltrdKiSFB1JEeZ1wRx7Imfa4NPBKUZC-uPdt1MA:keys-all',
      "the pool's own ö",
    ),
    publicKeys: fc.uniqueArray(hexKey, { minLength: 2, maxLength: 4 }),
    predicate: fc.constant('keys-all'),
  }),
);

const nonces = fc
  .record({
    ledgerId: fc.stringMatching(/^[0-9A-Za-z-]{1,20}$/),
    paymentId: fc.bigInt(1n, 10n ** 18n).map(String),
    attempt: fc.integer({ min: 1, max: 1000 }),
  })
  .map(nonceOf);

export const transfers: fc.Arbitrary<Transfer> = fc.record({
  networkId: fc.constantFrom('development', 'mainnet01', 'a-network_1'),
  chainId: fc.integer({ min: 0, max: 19 }),
  from: payers,
  to: hexKey.map((key) => `k:${key}`),
  amount: amounts,
  creationTimeS: fc.integer({ min: 0, max: 4_000_000_000 }),
  ttlS: fc.integer({ min: 1, max: 172_800 }),
  gasLimit: fc.integer({ min: 1, max: 150_000 }),
  gasPrice: fc.oneof(fc.constantFrom(1n, 10_000n, 10n ** 12n), fc.bigInt(1n, 10n ** 12n)),
  nonce: nonces,
});

const [ALICE, BOB] = [keyPair(1), keyPair(2)];

/** From Alice to Bob. */
export const ONE: Transfer = {
  networkId: 'development',
  chainId: 0,
  from: payerOfKey(ALICE.key),
  to: BOB.account,
  amount: 1_500_000_000_000n,
  creationTimeS: 1_700_000_000,
  ttlS: 900,
  gasLimit: 2500,
  gasPrice: 10_000n,
  nonce: 'sb1:3f9ea:31:1',
};
