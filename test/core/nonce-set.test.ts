import fc from 'fast-check';
import { expect, it } from 'vitest';
import { halvesOf } from '../../src/core/jobs/nonce.js';
import { NonceSet } from '../../src/core/jobs/nonce-set.js';

/** Few nonces, so that they come again, and those that differ in one half alone. */
const NONCE = fc.oneof(
  fc.bigInt({ min: 0n, max: 40n }),
  fc.bigInt({ min: 0n, max: 40n }).map((high) => high << 32n),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);
const STEP = fc.record({
  does: fc.constantFrom('add', 'add', 'add', 'delete', 'deleteOldest', 'has'),
  nonce: NONCE,
});

it('holds what a Set holds, whatever is put in and taken out', () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 400 }), (steps) => {
      const [nonces, model] = [new NonceSet(), new Set<bigint>()];
      for (const { does, nonce } of steps) {
        if (does === 'add') expect(nonces.add(halvesOf(nonce))).toBe(!model.has(nonce));
        if (does === 'add') model.add(nonce);
        else if (does === 'has') expect(nonces.has(halvesOf(nonce))).toBe(model.has(nonce));
        else if (does === 'delete') [nonces.delete(halvesOf(nonce)), model.delete(nonce)];
        else {
          const [oldest] = model;
          nonces.deleteOldest();
          if (oldest !== undefined) model.delete(oldest);
        }
        expect(nonces.size).toBe(model.size);
      }
      for (const nonce of model) expect(nonces.has(halvesOf(nonce))).toBe(true);
    }),
  );
});

it('holds the last ten of a hundred thousand that came and went', () => {
  const nonces = new NonceSet();
  for (let nonce = 0n; nonce < 100_000n; nonce++) {
    nonces.add(halvesOf(nonce));
    if (nonce >= 10n) nonces.deleteOldest();
  }
  expect(nonces.size).toBe(10);
  for (let nonce = 99_990n; nonce < 100_000n; nonce++) expect(nonces.has(halvesOf(nonce))).toBe(true);
});
