/** Clocks that are wrong: when a transaction is over the chain says, and no clock. */
import { describe, expect, it } from 'vitest';
import { held, PAST_TIME_S, PayerStory } from '../../helpers/payouts/payer-story.js';
import { until } from '../../helpers/until.js';

const HOUR_S = 3_600;

/** Of the ledger alone. */
async function setOurClock(story: PayerStory, aheadS: number): Promise<void> {
  await story.pool.query('UPDATE public.test_time SET ahead = make_interval(secs => $1)', [aheadS]);
}

describe('a transaction that is sent', () => {
  it('10: is not over by our clock where its node is behind, and is paid by the block that comes then', async () => {
    await using story = await PayerStory.open();
    const { payer } = await held(story);
    await setOurClock(story, PAST_TIME_S);
    await payer.turn();
    await payer.turn();
    expect(await story.states()).toEqual(['1 open sent']);
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 paid');
    await payer.turn();
    expect(await story.states()).toEqual(['1 paid']);
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5' });
  });

  it('11: is no other one while our clock steps an hour ahead and back', async () => {
    await using story = await PayerStory.open();
    const { payer } = await held(story);
    for (const aheadS of [HOUR_S, -HOUR_S, HOUR_S, 0]) {
      await setOurClock(story, aheadS);
      await story.bury();
      await payer.turn();
      expect(await story.states()).toEqual(['1 open sent']);
    }
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 paid');
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5' });
  });
});

describe('11: a clock of ours', () => {
  it('an hour behind that of nodes builds nothing that they take; once it is right all is paid', async () => {
    await using story = await PayerStory.open();
    story.first.node.orders.advance(1_000 * HOUR_S);
    await story.bury();
    const payer = story.pay();
    await story.owe({ 1: '5' });
    await until('a line is left out', async () => {
      const { rows } = await story.pool.query("SELECT FROM payout_line WHERE note LIKE 'a dry run%'");
      return rows.length === 1;
    });
    expect(await story.states()).toEqual([]);
    expect(await story.shown()).toMatchObject({ pauses: [], held: 0 });
    // What a dry run refused waits five minutes for the next, or for another start.
    await payer[Symbol.asyncDispose]();
    await setOurClock(story, HOUR_S);
    story.pay();
    await story.mineUntil('1 paid');
    await story.expectPaid({ 1: '5' });
  });

  it('an hour ahead of that of nodes takes all chains to stand still, and builds nothing; once it is right all is paid', async () => {
    await using story = await PayerStory.open();
    await setOurClock(story, HOUR_S);
    story.pay();
    await story.owe({ 1: '5' });
    await until('it waits', async () => (await story.shown()).waitingWhy.includes('stands still'));
    await story.bury();
    expect(await story.states()).toEqual([]);
    expect(await story.shown()).toMatchObject({ pauses: [], held: 0 });
    await setOurClock(story, 0);
    await story.mineUntil('1 paid');
    await story.expectPaid({ 1: '5' });
  });
});
