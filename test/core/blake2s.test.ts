import { createHash } from 'node:crypto';
import { blake2s } from '@noble/hashes/blake2.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { finishHash, MIDSTATE_BYTES, midstateOf } from '../../src/core/bytes/blake2s.js';
import { JobBook } from '../../src/core/jobs/job.js';
import {
  composeHigh,
  composeLow,
  composeNonce,
  halvesOf,
  type Nonce1,
  nonce2FromNumber,
  nonceOf,
} from '../../src/core/jobs/nonce.js';
import { hashSubmit } from '../../src/core/shares/share.js';
import { withNonce } from '../../src/core/work/header.js';
import { makeWork } from '../helpers/rigs/works.js';

it('agrees with node:crypto and @noble/hashes on every length that it takes', () => {
  const lengths = fc.integer({ min: MIDSTATE_BYTES + 1, max: MIDSTATE_BYTES + 64 });
  const message = lengths.chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));
  fc.assert(
    fc.property(message, (bytes) => {
      const hash = finishHash(midstateOf(bytes), bytes.subarray(MIDSTATE_BYTES));
      expect(Buffer.from(hash)).toEqual(createHash('blake2s256').update(bytes).digest());
      expect(hash).toEqual(blake2s(bytes));
    }),
  );
});

it('leaves the midstate as it was, so that it serves the next nonce', () => {
  const bytes = new Uint8Array(286).fill(9);
  const midstate = midstateOf(bytes);
  const first = finishHash(midstate, bytes.subarray(MIDSTATE_BYTES));
  expect(finishHash(midstate, bytes.subarray(MIDSTATE_BYTES))).toEqual(first);
});

it('hashes a submit as the header with its nonce', () => {
  const job = new JobBook(1).add(makeWork({}), 'node');
  fc.assert(
    fc.property(fc.nat(0xffff), fc.maxSafeNat(), (nonce1, random) => {
      const nonce = composeNonce(nonce1 as Nonce1, nonce2FromNumber(random % 2 ** 48));
      const nonce2 = nonce2FromNumber(random % 2 ** 48);
      const halves = { low: composeLow(nonce1 as Nonce1, nonce2), high: composeHigh(nonce2) };
      expect([nonceOf(halves), halvesOf(nonce)]).toEqual([nonce, halves]);
      const expected = createHash('blake2s256').update(withNonce(job.header, nonce)).digest();
      expect(Buffer.from(hashSubmit(job, nonce).powHash)).toEqual(expected);
    }),
  );
});
