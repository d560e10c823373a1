/** Random days of two nodes that part and meet again: what is concluded of payments is what the nodes have in the end. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEPTH, OnePayment } from '../../../helpers/payouts/one-payment.js';
import { balanceOf, World } from '../../../helpers/payouts/world.js';
import { keyPair } from '../../../helpers/processes/key-pair.js';

type Step =
  | { readonly does: 'pay' }
  | { readonly does: 'send'; readonly to: 0 | 1; readonly which: number }
  | { readonly does: 'forget'; readonly at: 0 | 1 }
  | { readonly does: 'mine'; readonly count: number; readonly everyS: number }
  /** Each side goes on alone, never so far that one leaves more than the depth behind. */
  | { readonly does: 'part'; readonly mined: readonly [number, number]; readonly everyS: number };

const everyS = fc.constantFrom(1, 30, 120);
const side = fc.constantFrom<0 | 1>(0, 1);
const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('pay' as const) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('send' as const), to: side, which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('forget' as const), at: side }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('mine' as const),
      count: fc.integer({ min: 1, max: 4 }),
      everyS,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('part' as const),
      mined: fc.tuple(fc.nat(DEPTH), fc.nat(DEPTH)),
      everyS,
    }),
  },
);

const TTL_S = 300;

class Story {
  readonly world: World;
  readonly payments: OnePayment[] = [];
  /** What was concluded for good. */
  readonly ends = new Map<OnePayment, string>();

  constructor(world: World) {
    this.world = world;
  }

  async go(step: Step): Promise<void> {
    const { world, payments } = this;
    switch (step.does) {
      case 'pay': {
        const number = payments.length + 1;
        const to = keyPair(20 + number);
        const paid = { to, ttlS: TTL_S, nonce: `sb1:test:${number}:1` };
        payments.push(await OnePayment.make(await world.eyes({ depth: DEPTH }), paid));
        break;
      }
      case 'send': {
        const payment = payments[step.which % Math.max(1, payments.length)];
        const other = world.at(1 - step.to).liar;
        other.lie({ send: 'dropped' });
        await payment?.send();
        other.beHonest();
        break;
      }
      case 'forget':
        await fetch(`${world.at(step.at).node.controlUrl}/mempool`, { method: 'DELETE' });
        break;
      case 'mine':
        await world.mine(step.count, { everyS: step.everyS });
        await world.agree();
        break;
      case 'part':
        world.part();
        for (const [i, count] of step.mined.entries()) {
          await world.mine(count, { on: world.at(i), everyS: step.everyS });
          await this.lookAll();
        }
        await world.join();
        break;
    }
    await this.lookAll();
  }

  async lookAll(): Promise<void> {
    for (const payment of this.payments) {
      if (this.ends.has(payment)) continue;
      const verdict = await payment.look();
      expect(['withheld', 'deep', 'differs']).not.toContain(verdict.kind);
      if (verdict.kind === 'expired' || verdict.kind === 'final') this.ends.set(payment, verdict.kind);
    }
  }

  /** Everything is over: each payment was concluded. */
  async end(): Promise<void> {
    for (let i = 0; i < 6 && this.ends.size < this.payments.length; i++)
      await this.go({ does: 'mine', count: 4, everyS: 120 });
    for (const [i, payment] of this.payments.entries()) {
      const end = this.ends.get(payment);
      const paid = await balanceOf(this.world.b, keyPair(20 + 1 + i));
      expect([end, paid]).toEqual(end === 'final' ? ['final', '1.5'] : ['expired', undefined]);
      // Whoever looks with no memory of its own concludes the same.
      expect(await payment.seenBy(await this.world.eyes({ depth: DEPTH })).kind()).toBe(end);
    }
  }
}

describe('random days of two nodes', () => {
  it('end with each payment paid once and known to be, or not paid and known never to be', async () => {
    const ends: string[] = [];
    const days = fc.asyncProperty(fc.array(STEP, { minLength: 8, maxLength: 16 }), async (steps) => {
      await using world = await World.start({ nodes: 2 });
      await world.mine(2);
      await world.agree();
      const story = new Story(world);
      for (const step of steps) await story.go(step);
      await story.end();
      ends.push(...story.ends.values());
    });
    await fc.assert(days, { numRuns: 6, endOnFailure: true });
    expect(ends.length).toBeGreaterThan(0);
  });
});
