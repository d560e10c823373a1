/** A node that changes its answers in any way: whoever looks sees what is true, or less, and never anything else. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payload } from '../../../helpers/payouts/liar.js';
import { OnePayment } from '../../../helpers/payouts/one-payment.js';
import { World } from '../../../helpers/payouts/world.js';

let world: World;
let paid: OnePayment;
let dead: OnePayment;

beforeAll(async () => {
  world = await World.start();
  await world.mine(3);
  const eyes = await world.eyes();
  paid = await OnePayment.make(eyes, { ttlS: 200 });
  dead = await OnePayment.make(eyes, { ttlS: 200, nonce: 'sb1:test:2:1' });
  await paid.send();
  await world.mine(14);
  expect([await paid.kind(), await dead.kind()]).toEqual(['final', 'expired']);
});
afterAll(() => world[Symbol.asyncDispose]());

interface Garble {
  readonly where: string;
  /** Of the text: from which part of it on. */
  readonly at: number;
  readonly how: (typeof WAYS)[number];
}

const WAYS = [
  ...(['another character', 'cut off', 'left out', 'said twice', 'a number changed'] as const),
  // What would pay if it were believed.
  ...(['without transactions', 'failed', 'another amount', 'later', 'earlier'] as const),
] as const;

const GARBLE: fc.Arbitrary<Garble> = fc.record({
  where: fc.constantFrom('/cut', '/header/branch', '/payload/outputs/batch'),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  how: fc.constantFrom(...WAYS),
});

function garbled(text: string, { at, how }: Garble): string {
  const place = Math.floor(at * text.length);
  const [before, after] = [text.slice(0, place), text.slice(place)];
  switch (how) {
    case 'another character':
      return before + (after.startsWith('A') ? 'B' : 'A') + after.slice(1);
    case 'cut off':
      return before;
    case 'left out':
      return before + after.replace(/"[^"]*",?/, '');
    case 'said twice':
      return before + after.replace(/"[^"]*",/, (some) => some + some);
    case 'a number changed':
      return before + after.replace(/\d/, (digit) => String((Number(digit) + 1) % 10));
    case 'without transactions':
      return inPayloads(text, (payload) => ({ ...payload, transactions: [] }));
    case 'failed':
      return inPayloads(text, (payload) => withOutputs(payload, '"status":"success"', '"status":"failure"'));
    case 'another amount':
      return inPayloads(text, (payload) => withOutputs(payload, ',1.5]', ',0.5]'));
    case 'later':
      return inHeaders(text, 1_000_000_000n);
    case 'earlier':
      return inHeaders(text, -1_000_000_000n);
  }
}

/** Of an answer that holds payloads; others stay as they are. */
function inPayloads(text: string, change: (payload: Payload) => Payload): string {
  return text.startsWith('[') ? JSON.stringify((JSON.parse(text) as Payload[]).map(change)) : text;
}

function withOutputs(payload: Payload, from: string, to: string): Payload {
  const changed = (output: string): string =>
    Buffer.from(Buffer.from(output, 'base64url').toString('utf8').replace(from, to)).toString('base64url');
  const transactions = payload.transactions.map(([command, output]): [string, string] => [
    command,
    changed(output),
  ]);
  return { ...payload, transactions };
}

/** Other times in the encoded headers of a page. */
function inHeaders(text: string, micros: bigint): string {
  return text.replace(/"[\w-]{200,}"/g, (quoted) => {
    const bytes = Buffer.from(quoted.slice(1, -1), 'base64url');
    bytes.writeBigUInt64LE(bytes.readBigUInt64LE(8) + micros, 8);
    return `"${bytes.toString('base64url')}"`;
  });
}

describe('a node that garbles its answers', () => {
  it('makes nobody conclude anything but what is true', async () => {
    const seen = new Set<string>();
    const lies = fc.asyncProperty(fc.array(GARBLE, { minLength: 1, maxLength: 3 }), async (garbles) => {
      const eyes = await world.eyes();
      world.a.liar.lie({
        garbles: (path, text) =>
          garbles
            .filter(({ where }) => path.includes(where))
            .reduce((said, garble) => garbled(said, garble), text),
      });
      try {
        for (const [payment, truth] of [
          [paid, 'final'],
          [dead, 'expired'],
        ] as const) {
          const { kind } = await payment.seenBy(eyes).look();
          expect([truth, 'withheld', 'waiting', 'blind']).toContain(kind);
          seen.add(kind === truth ? 'the truth' : 'less');
        }
      } finally {
        world.a.liar.beHonest();
      }
      // Whatever it was told, it sees the truth as soon as it is told so.
      expect([await paid.seenBy(eyes).kind(), await dead.seenBy(eyes).kind()]).toEqual(['final', 'expired']);
    });
    await fc.assert(lies, { numRuns: 150, endOnFailure: true });
    expect([...seen].sort()).toEqual(['less', 'the truth']);
  });
});
