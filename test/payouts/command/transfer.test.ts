/** The command that pays: written, read back, and every altered byte of it found. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestKeyOf } from '../../../src/chain/request-key.js';
import { payerFault, payerOfKey } from '../../../src/chain/transfers/accounts.js';
import { buildTransfer, type Transfer } from '../../../src/chain/transfers/transfer.js';
import { amountLiteral, parseAmount } from '../../../src/core/money/amount.js';
import { payableFault } from '../../../src/core/names/payable.js';
import { nonceOf, readNonce } from '../../../src/payouts/command/nonce.js';
import { checkTransfer, LONGEST_COMMAND, readTransfer } from '../../../src/payouts/command/read.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { amounts, ONE, transfers } from './transfers.js';

const [ALICE, BOB, CAROL] = [keyPair(1), keyPair(2), keyPair(3)];

describe('a transfer', () => {
  it('is one text, to the byte', () => {
    const [a, b] = [ALICE.key, BOB.key];
    expect(buildTransfer(ONE).cmd).toBe(
      '{"networkId":"development",' +
        `"payload":{"exec":{"code":"(coin.transfer-create \\"k:${a}\\" \\"k:${b}\\" (read-keyset \\"account-guard\\") 1.5)",` +
        `"data":{"account-guard":{"keys":["${b}"],"pred":"keys-all"}}}},` +
        `"signers":[{"pubKey":"${a}","scheme":"ED25519","clist":[` +
        `{"name":"coin.TRANSFER","args":["k:${a}","k:${b}",{"decimal":"1.5"}]},{"name":"coin.GAS","args":[]}]}],` +
        `"meta":{"chainId":"0","sender":"k:${a}","gasLimit":2500,"gasPrice":0.00000001,"ttl":900,"creationTime":1700000000},` +
        '"nonce":"sb1:3f9ea:31:1"}',
    );
  });

  it('is read back as it was, and fits', () => {
    fc.assert(
      fc.property(transfers, (transfer) => {
        const { cmd, requestKey } = buildTransfer(transfer);
        const read = readTransfer(cmd);
        expect(read).toEqual({ is: 'transfer', transfer, attempt: readNonce(transfer.nonce), requestKey });
        expect([requestKey, cmd.length < LONGEST_COMMAND]).toEqual([requestKeyOf(cmd), true]);
        expect(checkTransfer(cmd, transfer)).toEqual([]);
      }),
    );
  });

  it('with sixteen keys and the longest of everything fits too', () => {
    const publicKeys = Array.from({ length: 16 }, (_, i) => i.toString(16).padStart(64, 'f'));
    const from = { account: 'ÿ'.repeat(256), publicKeys, predicate: 'keys-all' };
    const { cmd } = buildTransfer({ ...ONE, from, amount: 10n ** 32n - 1n });
    expect(readTransfer(cmd).is).toBe('transfer');
  });

  it('with any character taken out, put in or changed is another one, or none', () => {
    fc.assert(
      fc.property(
        transfers,
        fc.nat(),
        fc.constantFrom('0', '1', '"', ' ', 'a', ''),
        fc.boolean(),
        (transfer, place, put, isPutIn) => {
          const { cmd } = buildTransfer(transfer);
          const at = place % cmd.length;
          const altered = cmd.slice(0, at) + put + cmd.slice(isPutIn ? at : at + 1);
          fc.pre(altered !== cmd);
          const differs = checkTransfer(altered, transfer);
          expect(differs.length).toBeGreaterThan(0);
          // What is read from it is what it says, and nothing else.
          const read = readTransfer(altered);
          if (read.is === 'transfer') expect(buildTransfer(read.transfer).cmd).toBe(altered);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each<[string, Partial<Transfer>]>([
    ['the network is mainnet01, and development was expected', { networkId: 'mainnet01' }],
    ['the chain is 7, and 0 was expected', { chainId: 7 }],
    ['the amount is 1.500000000001, and 1.5 was expected', { amount: 1_500_000_000_001n }],
    [`the paid account is ${CAROL.account}, and ${BOB.account} was expected`, { to: CAROL.account }],
    ['the creation time is 1700000001, and 1700000000 was expected', { creationTimeS: 1_700_000_001 }],
    ['the time to live is 901, and 900 was expected', { ttlS: 901 }],
    ['the gas limit is 2501, and 2500 was expected', { gasLimit: 2501 }],
    ['the gas price is 0.000000010001, and 0.00000001 was expected', { gasPrice: 10_001n }],
    ['the nonce is sb1:3f9ea:31:2, and sb1:3f9ea:31:1 was expected', { nonce: 'sb1:3f9ea:31:2' }],
  ])('differs: %s', (sentence, change) => {
    expect(checkTransfer(buildTransfer({ ...ONE, ...change }).cmd, ONE)).toEqual([sentence]);
  });

  it('of another payer differs in account and key', () => {
    const { cmd } = buildTransfer({ ...ONE, from: payerOfKey(CAROL.key) });
    expect(checkTransfer(cmd, ONE)).toEqual([
      `the paying account is ${CAROL.account}, and ${ALICE.account} was expected`,
      `the list of signing keys is ${CAROL.key}, and ${ALICE.key} was expected`,
    ]);
  });

  const without = (cmd: string, part: string, put = ''): string => {
    expect(cmd).toContain(part);
    return cmd.replace(part, put);
  };

  it.each<[string, string, string]>([
    [
      'is to be signed for everything',
      ',"clist":[{"name":"coin.TRANSFER"',
      ',"list":[{"name":"coin.TRANSFER"',
    ],
    ['has no signer', '"signers":[{', '"signed":[{'],
    ['is to be signed for 0 transfers', '"name":"coin.TRANSFER"', '"name":"coin.ROTATE"'],
    [
      'is not one transfer in the form of this version',
      '{"name":"coin.GAS","args":[]}',
      '{"name":"coin.ROTATE","args":[]}',
    ],
    ['is not one transfer in the form of this version', '(coin.transfer-create', '(coin.rotate'],
    ['is not one transfer in the form of this version', ' 1.5)', ' 1.5)(coin.transfer-create)'],
    ['is not one transfer in the form of this version', ' 1.5)', ' 15.0)'],
    ['is not one transfer in the form of this version', '"pred":"keys-all"', '"pred":"keys-any"'],
    ['is not one transfer in the form of this version', '"scheme":"ED25519"', '"scheme":"WebAuthn"'],
    ['is not one transfer in the form of this version', '"nonce"', '"verifiers":[1],"nonce"'],
    ['is not one transfer in the form of this version', '"gasPrice":0.00000001', '"gasPrice":1e-8'],
    ['has a nonce that is none of a bridge', 'sb1:3f9ea:31:1', 'kjs:nonce:1'],
    ['is no transfer: there is no chain -1', '"chainId":"0"', '"chainId":0'],
    ['is no JSON object', '{"networkId"', '["networkId"'],
  ])('%s: %s as %s', (why, part, put) => {
    const cmd = without(buildTransfer(ONE).cmd, part, put);
    expect(readTransfer(cmd)).toEqual({ is: 'other', why: expect.stringContaining(why) });
  });

  it('is bounded, and any text is answered with a sentence', () => {
    expect(readTransfer('x'.repeat(LONGEST_COMMAND + 1))).toMatchObject({ is: 'other' });
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readTransfer(text).is).toBe('other');
      }),
    );
  });

  it.each<[RegExp, Partial<Transfer>]>([
    [/above zero/, { amount: 0n }],
    [/above zero/, { amount: -1n }],
    [/at most 10\^20/, { amount: 10n ** 32n + 1n }],
    [/does not pay itself/, { to: ALICE.account }],
    [/no chain -1/, { chainId: -1 }],
    [/gas price/, { gasPrice: 0n }],
    [/gas limit/, { gasLimit: 1.5 }],
    [/time to live/, { ttlS: 0 }],
    [/creation time/, { creationTimeS: Number.NaN }],
    [/network/, { networkId: 'a"b' }],
    [/nonce/, { nonce: 'x"' }],
    [/nonce/, { nonce: '' }],
    [/only accounts named by their key/, { to: 'bob' }],
    [/another key/, { from: { ...ONE.from, publicKeys: [BOB.key] } }],
  ])('is refused: %s', (why, change) => {
    expect(() => buildTransfer({ ...ONE, ...change })).toThrow(why);
  });
});

describe('amounts in code (30)', () => {
  it.each([
    [10n ** 12n, '1.0'],
    [1n, '0.000000000001'],
    [10n ** 32n, '100000000000000000000.0'],
    [1_100_000_000_000n, '1.1'],
    [123_456_789_012n, '0.123456789012'],
  ])('%s units are %s', (amount, text) => {
    expect(amountLiteral(amount)).toBe(text);
  });

  it('are exact there and back, and always decimals', () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        const text = amountLiteral(amount);
        expect([parseAmount(text), text]).toEqual([amount, expect.stringMatching(/^\d+\.(0|\d*[1-9])$/)]);
      }),
    );
  });
});

describe('accounts', () => {
  const key = 'ab'.repeat(32);
  it('of one key are paid, others with a reason not', () => {
    expect(payableFault(`k:${key}`)).toBeUndefined();
    expect(payableFault(`k:${key.toUpperCase()}`)).toMatch(/capital/);
    expect(payableFault(`k:${key}a`)).toMatch(/not 65 characters/);
    expect(payableFault(`k:${key}\n`)).toMatch(/not 65 characters/);
    for (const name of ['', 'alice', `w:${'a'.repeat(43)}:keys-all`, `K:${key}`, ` k:${key}`])
      expect(payableFault(name)).toMatch(/only accounts named by their key/);
  });

  it.each([
    ['"', /printable/],
    ['a\\b', /printable/],
    ['ab\u0080', /printable/],
    ['\u4e00\u4e00\u4e00', /printable/],
  ])('%j do not pay', (account, why) => {
    expect(payerFault({ account, publicKeys: [key], predicate: 'keys-all' })).toMatch(why);
  });

  it('sign with enough keys, each once', () => {
    const of = (publicKeys: string[], predicate: string): string | undefined =>
      payerFault({ account: 'joint', publicKeys, predicate });
    const second = 'cd'.repeat(32);
    expect(of([key, second], 'keys-2')).toBeUndefined();
    expect(of([key], 'keys-2')).toMatch(/2 to 16/);
    expect(of([key, key], 'keys-2')).toMatch(/once/);
    expect(of([], 'keys-any')).toMatch(/1 to 16/);
    expect(of([key], 'ns.mine')).toMatch(/predicate/);
    expect(of(['AB'.repeat(32)], 'keys-all')).toMatch(/hex/);
  });
});

describe('nonces', () => {
  it('name an attempt of a payment of a ledger, and nothing else does', () => {
    const attempt = { ledgerId: '3f9ea', paymentId: '31', attempt: 2 };
    expect([nonceOf(attempt), readNonce(nonceOf(attempt))]).toEqual(['sb1:3f9ea:31:2', attempt]);
    for (const text of [
      'sb2:a:1:1',
      'sb1:a:1',
      'sb1::1:1',
      'sb1:a:01:1',
      'sb1:a:1:0',
      'sb1:a:1:1 ',
      'sb1:a:b:1',
    ])
      expect(readNonce(text)).toBeUndefined();
    expect(() => nonceOf({ ...attempt, ledgerId: 'a:b' })).toThrow(RangeError);
  });
});
