/** A turn of who pays is short however much there is to pay: where it is not, the role is lost while nodes are slow. */
import { expect, it } from 'vitest';
import { PayerStory } from '../../helpers/payouts/payer-story.js';
import { until } from '../../helpers/until.js';

const MOST_A_TURN = 200;
const COUNT = 450;
const NUMBERS = Array.from({ length: COUNT }, (_, i) => i);

it('tries, signs and sends, and sends again, at most 200 payments a turn, and all of them in the end', async () => {
  await using story = await PayerStory.open();
  const { tap } = story.first;
  let payer = story.pay();
  /** What is asked, and in which turn -> how often. */
  const asked = new Map<string, number>();
  const { onRequest } = tap.faults;
  tap.set({
    onRequest: (text) => {
      const [what] = /preflight=true|\/send(?= )/.exec(text) ?? [];
      const key = `${what} in turn ${payer.turns}`;
      if (what !== undefined) asked.set(key, (asked.get(key) ?? 0) + 1);
      return onRequest(text);
    },
  });
  const expectFewATurn = (): void =>
    expect([...asked].filter(([, count]) => count > MOST_A_TURN)).toEqual([]);
  await story.faults({ dropTransactions: true });
  await story.owe(Object.fromEntries(NUMBERS.map((number) => [number, '2'])));
  await until('all are sent', () => new Set(story.sent).size === COUNT);
  expectFewATurn();
  await payer[Symbol.asyncDispose]();
  asked.clear();
  story.sent.length = 0;
  await story.faults({ dropTransactions: false });
  payer = story.pay({ isNewLedger: false });
  await until('all are sent again', () => new Set(story.sent).size === COUNT);
  expectFewATurn();
  expect(asked.size).toBeGreaterThan(2);
  await until('all are paid', async () => {
    await story.mine();
    await story.followed();
    return (await story.shown()).lines === 0;
  });
  await story.expectPaid(Object.fromEntries(NUMBERS.map((number) => [number, '2'])));
});
