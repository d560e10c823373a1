/** What a block says of a transaction ends it: that it is in it, or that it can be in none any more. */
import { describe, expect, it } from 'vitest';
import { held, PAST_TIME_S, PayerStory, undoLost } from '../../helpers/payouts/payer-story.js';
import { DEPTH } from '../../helpers/payouts/payer-terms.js';
import { until } from '../../helpers/until.js';

describe('a transaction', () => {
  it('8, 9: in the last block that may have it, whose own time is past that, is paid and not tried again', async () => {
    await using story = await PayerStory.open();
    const {
      transaction: { requestKey },
    } = await held(story);
    const [{ until: lastly, chainId } = { until: '', chainId: 0 }] = await story.transactions();
    await story.faults({ holdTransactions: false });
    story.first.node.orders.nextBlockAt(Date.parse(lastly) + 5_000);
    await story.first.node.orders.mine({ chains: [chainId] });
    await story.pass(PAST_TIME_S);
    await story.bury();
    expect(await story.transactions()).toMatchObject([{ state: 'paid', requestKey, attempt: 1 }]);
    await story.bury();
    expect(await story.states()).toEqual(['1 paid']);
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '5' });
  });

  it('is dead once a block at the depth is of a later time, and no sooner; then it is paid by another one, once', async () => {
    await using story = await PayerStory.open();
    const {
      transaction: { requestKey },
    } = await held(story);
    await story.pass(PAST_TIME_S);
    await story.mine(DEPTH);
    await story.followed();
    expect(await story.states()).toEqual(['1 open sent']);
    await story.mine(1);
    await story.are(['1 dead', '2 open sent']);
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 dead', '2 paid');
    expect((await story.transactions())[1]?.requestKey).not.toBe(requestKey);
    await story.expectPaid({ 1: '5' });
  });
});

describe('12: a reorganisation', () => {
  it('above the depth changes nothing in the books, and the transaction is paid by the block that has it then', async () => {
    await using story = await PayerStory.open();
    await held(story);
    await story.faults({ holdTransactions: false });
    await story.mine(DEPTH);
    await story.followed();
    await story.faults({ holdTransactions: true });
    await story.rewind(DEPTH);
    await story.mine(DEPTH + 2);
    await story.followed();
    expect(await story.states()).toEqual(['1 open sent']);
    expect(await story.pauses()).toEqual([]);
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 paid');
    await story.expectPaid({ 1: '5' });
  });

  it('below the depth stops the chain; the order that undoes it opens the transaction again, and the same bytes are sent', async () => {
    await using story = await PayerStory.open();
    const {
      transaction: { requestKey },
    } = await held(story);
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 paid');
    await story.expectPaid({ 1: '5' });
    await story.faults({ holdTransactions: true });
    await story.rewind(DEPTH);
    await story.mine(2 * DEPTH + 2);
    await until('chains stand still', async () => {
      const { rows } = await story.pool.query("SELECT FROM chain WHERE trouble LIKE '%follow undo%'");
      return rows.length === 3;
    });
    expect(await story.states()).toEqual(['1 paid']);
    const sent = story.sent.length;
    await undoLost(story);
    await story.are(['1 open sent']);
    await until('it is sent again', () => story.sent.length > sent);
    expect(new Set(story.sent)).toEqual(new Set([requestKey]));
    await story.expectPaid({ 1: '0' });
    await story.faults({ holdTransactions: false });
    expect(await story.mineUntil('1 paid')).toMatchObject([{ requestKey }]);
    await story.expectPaid({ 1: '5' });
    const { rows } = await story.pool.query(
      "SELECT code, count(*)::int AS n FROM transfer WHERE code LIKE 'gas%' GROUP BY code ORDER BY code",
    );
    expect(rows).toEqual([
      { code: 'gas', n: 2 },
      { code: 'gas reversed', n: 1 },
    ]);
  });
});
