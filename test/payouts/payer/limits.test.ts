/** Limits of what is paid without asking anybody, and payouts that wait for people. */
import { describe, expect, it } from 'vitest';
import { held, keepPayload, PayerStory, prepared, skipBlock } from '../../helpers/payouts/payer-story.js';
import { coins, DEPTH } from '../../helpers/payouts/payer-terms.js';
import { until } from '../../helpers/until.js';

const NOTE = { note: 'a test' };
const DAY = { dayLimit: coins('10') };

const why = async (story: PayerStory): Promise<string[]> => {
  const { rows } = await story.pool.query<{ why: string }>(
    'SELECT approval_why AS why FROM payout WHERE cardinality(approved_by) < approvals ORDER BY id',
  );
  return rows.map((row) => row.why);
};

async function waits(story: PayerStory, count = 1): Promise<void> {
  await until('a payout waits', async () => (await story.shown()).waiting === count);
}

describe('limits of a day', () => {
  it('32: are of any 24 hours, over midnight too', async () => {
    await using story = await PayerStory.open();
    story.pay({ rules: DAY });
    await story.owe({ 1: '6' });
    await story.mineUntil('1 paid');
    await story.give({ 2: '6' });
    // One of these is over midnight, and both are within 24 hours.
    for (const _ of [1, 2]) {
      await story.pass(11 * 3_600);
      await story.bury();
      await story.owe({});
      await waits(story);
      expect(await why(story)).toContainEqual(expect.stringContaining('in the last 24 hours it is 12.0'));
      await story.orders.rejectPayout({ id: (await prepared(story)).id, ...NOTE }, 'alice');
    }
    await story.pass(3 * 3_600);
    await story.bury();
    await story.owe({});
    await story.mineUntil('1 paid', '1 paid');
    await story.expectPaid({ 1: '6', 2: '6' });
  });

  it('32: count what nobody knows the end of, however old it is', async () => {
    await using story = await PayerStory.open();
    const { transaction } = await held(story, { rules: DAY });
    const { chainId } = transaction;
    const stop = keepPayload(story, chainId);
    await story.mine(DEPTH + 1);
    await skipBlock(story, chainId);
    stop();
    await story.pass(2 * 24 * 3_600);
    await story.bury();
    await story.orders.resumePayments(NOTE, 'alice');
    await story.owe({ 2: '6' });
    await waits(story);
    expect(await why(story)).toEqual([expect.stringContaining('in the last 24 hours it is 11.0')]);
  });
});

describe('a payout that waits for people', () => {
  it('PA13: for what is above the limit of one account keeps nobody else from being paid', async () => {
    await using story = await PayerStory.open();
    story.pay({ rules: { lineLimit: coins('10') } });
    await story.owe({ 1: '50', 2: '5', 3: '7' });
    await story.mineUntil('1 paid', '1 paid');
    expect(await why(story)).toEqual([expect.stringContaining('gets is 50.0, above 10.0')]);
    await story.owe({ 4: '6' });
    await story.mineUntil('1 paid', '1 paid', '1 paid');
    await story.expectPaid({ 1: '0', 2: '5', 3: '7', 4: '6' });
    const { rows } = await story.pool.query<{ id: string; hash: string }>(
      'SELECT id::text, hash FROM payout WHERE cardinality(approved_by) < approvals',
    );
    for (const { id, hash } of rows) await story.orders.approvePayout({ id, hash }, 'alice');
    await story.mineUntil('1 paid', '1 paid', '1 paid', '1 paid');
    await story.expectPaid({ 1: '50', 2: '5', 3: '7', 4: '6' });
  });

  it('has its coins kept: what is due later is not planned with them', async () => {
    await using story = await PayerStory.open({ coins: '100' });
    story.pay({ rules: { lineLimit: coins('50') } });
    // All but a little of each of three chains.
    await story.owe({ 1: '95', 2: '95', 3: '95' });
    await waits(story);
    await story.owe({ 4: '40' });
    await until('it waits', async () => (await story.shown()).waitingWhy.startsWith('1 accounts wait'));
    expect(await story.states()).toEqual([]);
    const { id, hash } = await prepared(story);
    await story.orders.approvePayout({ id, hash }, 'alice');
    await story.mineUntil('1 paid', '1 paid', '1 paid');
    await story.expectPaid({ 1: '95', 2: '95', 3: '95' });
  });

  it('PA20: asks nodes for nothing, also where more is due and somebody has asked for it', async () => {
    await using story = await PayerStory.open();
    const payer = story.pay({ rules: { payoutMode: 'approve' } });
    await story.owe({ 1: '5' });
    await waits(story);
    await story.owe({ 2: '7' });
    await payer.turn();
    const asked = () => story.first.tap.requests.filter((path) => path.includes('/pact/')).length;
    const before = asked();
    for (let i = 0; i < 5; i++) await payer.turn();
    expect(asked()).toBe(before);
    expect(await story.shown()).toMatchObject({ waiting: 1, isAsked: true });
  });
});
