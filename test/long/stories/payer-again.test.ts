/** What was sent is sent again as long as its time lasts, every twenty seconds: nodes forget. */
import { describe, expect, it } from 'vitest';
import { PayerStory } from '../../helpers/payouts/payer-story.js';
import { until } from '../../helpers/until.js';

describe('a payment that is sent', () => {
  it('4: the node says that it took it, and drops it: the same bytes are sent again', async () => {
    await using story = await PayerStory.open();
    await story.faults({ dropTransactions: true });
    story.pay();
    await story.owe({ 1: '5' });
    const [open] = await story.are(['1 open sent']);
    await until('the node was sent it', () => story.sent.length > 0);
    await story.bury();
    expect(await story.states()).toEqual(['1 open sent']);
    await story.faults({ dropTransactions: false });
    await until('it is sent again', () => story.sent.length > 1);
    await story.mineUntil('1 paid');
    expect(new Set(story.sent)).toEqual(new Set([open?.requestKey]));
    await story.expectPaid({ 1: '5' });
  });

  it('18: all nodes forget it, as when they start anew: the same bytes are sent again', async () => {
    await using story = await PayerStory.open({ nodes: 2 });
    await story.faults({ holdTransactions: true });
    story.pay();
    await story.owe({ 1: '5' });
    const [open] = await story.arrived();
    // One that has not forgotten it yet would tell the other.
    for (const { node } of story.nodes) node.setPeerConnected(false);
    const before = story.sent.length;
    for (const { node } of story.nodes) await story.control(node, 'DELETE', 'mempool');
    expect(await story.arrived(0)).toMatchObject([{ state: 'open' }]);
    for (const { node } of story.nodes) node.setPeerConnected(true);
    await story.faults({ holdTransactions: false });
    await until('it is sent again', () => story.sent.length > before);
    await story.mineUntil('1 paid');
    expect(new Set(story.sent)).toEqual(new Set([open?.requestKey]));
    await story.expectPaid({ 1: '5' });
  });

  it('is sent again while payments are paused, and nothing else is built, signed or sent', async () => {
    await using story = await PayerStory.open();
    await story.faults({ dropTransactions: true });
    const payer = story.pay();
    await story.owe({ 1: '5' });
    const [open] = await story.are(['1 open sent']);
    await until('the node was sent it', () => story.sent.length > 0);
    await story.orders.pausePayments({ note: 'audit' }, 'a test');
    await story.owe({ 2: '7' });
    await payer.turn();
    await story.faults({ dropTransactions: false });
    await until('it is sent again', () => story.sent.length > 1);
    await story.mineUntil('1 paid');
    expect(new Set(story.sent)).toEqual(new Set([open?.requestKey]));
    await story.expectPaid({ 1: '5', 2: '0' });
    await story.orders.resumePayments({ note: 'done' }, 'a test');
    await story.mineUntil('1 paid', '1 paid');
    await story.expectPaid({ 1: '5', 2: '7' });
  });
});
