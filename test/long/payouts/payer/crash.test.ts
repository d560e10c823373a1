/** Test 1 of `payouts.md`: the payer dies before and after each commit and each side effect, and the next one goes on. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useBooks } from '../../../helpers/books/books.js';
import { coinsIn, expectProved } from '../../../helpers/books/money.js';
import {
  accountOf,
  earn,
  expectPaidOnChain,
  PayerStory,
  TestSigner,
} from '../../../helpers/payouts/story.js';
import { World } from '../../../helpers/payouts/world.js';

const books = useBooks();
let world: World;

beforeAll(async () => {
  world = await World.start();
  await world.mine(5);
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => books.empty());

class Killed extends Error {}

/** Dies at the first call of a method: before it did anything, or after it has done all of it. */
function dyingAt(method: string, when: 'before' | 'after') {
  let alive = true;
  return <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]) => {
          const dies = name === method && alive;
          if (dies && when === 'before') {
            alive = false;
            throw new Killed(method);
          }
          const result = await value.apply(target, given);
          if (dies) {
            alive = false;
            throw new Killed(method);
          }
          return result;
        };
      },
    });
}

/** What changes something, in the books or elsewhere. */
const POINTS = [
  ...['build', 'asking', 'sign', 'keepSignatures', 'sending', 'send', 'found', 'sawChains'],
].flatMap((method) => [[method, 'before'] as const, [method, 'after'] as const]);

/** Accounts of each case are its own: what they have on chain is what it paid. */
let next = 0;

describe('1: a payer that dies', () => {
  it.each(POINTS)('at %s, %s it, pays each line once', async (method, when) => {
    const [one, two] = [++next, ++next];
    await earn(books, { [one]: '5', [two]: '4' });
    const signer = new TestSigner();
    const first = await PayerStory.start(world, books, { around: dyingAt(method, when) }, signer);
    await first.prepare();
    let deaths = 0;
    let payer = first;
    for (let block = 0; block < 9; block++) {
      try {
        await payer.round();
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        deaths++;
        await payer.close();
        payer = await PayerStory.start(world, books, {}, signer);
        await payer.round();
      }
      await world.mine(1);
    }
    await payer.round();
    expect(deaths).toBe(1);
    expect(await payer.states()).toEqual(['final', 'final']);
    expect(await payer.pause()).toBeUndefined();
    await payer.close();
    expect(await coinsIn(books.pool, 'paid')).toEqual({ [accountOf(one)]: '5', [accountOf(two)]: '4' });
    await expectPaidOnChain(world, books, [one, two]);
    await expectProved(books.pool);
  });
});
