/** Signatures of several keys, put together and checked. */
import { describe, expect, it } from 'vitest';
import { checkSignatures, isSignedBy } from '../../../src/chain/transfers/envelope.js';
import { buildTransfer } from '../../../src/chain/transfers/transfer.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { signatureOf } from './sign.js';
import { ONE } from './transfers.js';

const [ALICE, BOB, CAROL] = [keyPair(1), keyPair(2), keyPair(3)];
const JOINT = { account: 'joint', publicKeys: [ALICE.key, BOB.key], predicate: 'keys-2' };
const { cmd, requestKey } = buildTransfer({ ...ONE, from: JOINT, to: CAROL.account });
const { cmd: other } = buildTransfer({ ...ONE, from: JOINT, to: CAROL.account, ttlS: 901 });
const byAlice = { pubKey: ALICE.key, sig: signatureOf(cmd, ALICE) };
const byBob = { pubKey: BOB.key, sig: signatureOf(cmd, BOB) };

describe('signatures', () => {
  it('make an envelope in the order of the signers, however they came', () => {
    const sigs = [{ sig: byAlice.sig }, { sig: byBob.sig }];
    const envelope = { cmd, hash: requestKey, sigs };
    const signed = { is: 'signed', signatures: [byAlice, byBob], envelope };
    expect(checkSignatures(cmd, JOINT.publicKeys, [byBob, byAlice])).toEqual(signed);
    const large = { ...byBob, sig: byBob.sig.toUpperCase() };
    expect(checkSignatures(cmd, JOINT.publicKeys, [large, byAlice])).toEqual(signed);
  });

  it('are partial while one is missing', () => {
    const missing = { is: 'partial', signatures: [byAlice], missing: [BOB.key] };
    expect(checkSignatures(cmd, JOINT.publicKeys, [byAlice])).toEqual(missing);
    expect(checkSignatures(cmd, JOINT.publicKeys, [byAlice, { ...byBob, sig: null }])).toEqual(missing);
  });

  it.each([
    [
      'of another command',
      [{ ...byAlice, sig: signatureOf(other, ALICE) }],
      'is no signature of this command',
    ],
    ['of another key', [{ ...byAlice, sig: byBob.sig }], 'is no signature of this command'],
    ['of a stranger', [{ pubKey: CAROL.key, sig: signatureOf(cmd, CAROL) }], 'none of those that sign'],
    ['that is no text of one', [{ ...byAlice, sig: 'zz' }], 'is no signature of this command'],
    ['cut off', [{ ...byAlice, sig: byAlice.sig.slice(2) }], 'is no signature of this command'],
  ])('%s are bad', (_, given, why) => {
    const checked = checkSignatures(cmd, JOINT.publicKeys, given);
    expect(checked).toEqual({ is: 'bad', why: expect.stringContaining(why) });
  });

  it('with one bit turned are none', () => {
    const { pubKey, sig } = byAlice;
    expect(isSignedBy(cmd, pubKey, sig)).toBe(true);
    for (let bit = 0; bit < 512; bit++) {
      const bytes = Buffer.from(sig, 'hex');
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(isSignedBy(cmd, pubKey, bytes.toString('hex'))).toBe(false);
    }
    expect(isSignedBy(cmd, 'ff'.repeat(32), sig)).toBe(false);
  });
});
