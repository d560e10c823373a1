/** What is due is paid once, and booked when a block at the depth has it. */
import { describe, expect, it } from 'vitest';
import { coinsIn } from '../../helpers/books/money.js';
import { accountOf, PayerStory } from '../../helpers/payouts/payer-story.js';

describe('a payer', () => {
  it('pays what is due once; the ledger says so at the depth, and books gas as the operator’s', async () => {
    await using story = await PayerStory.open();
    const payer = story.pay();
    await story.owe({ 1: '5', 2: '7.000000000001', 3: '0.5' });
    await story.arrived(2);
    await story.mine(3);
    await story.followed();
    expect(await story.states()).toEqual(['1 open sent', '1 open sent']);
    expect(await coinsIn(story.pool, 'paid')).toEqual({});
    await story.mine(1);
    const paid = await story.are(['1 paid', '1 paid']);
    await story.owe({});
    await payer.turn();
    await story.bury();
    expect(await story.states()).toEqual(['1 paid', '1 paid']);
    await story.expectPaid({ 1: '5', 2: '7.000000000001', 3: '0' });
    const gas = paid.reduce((sum, one) => sum + Number(one.gas), 0);
    expect(gas).toBeGreaterThan(0);
    const { rows } = await story.pool.query(
      "SELECT sum(amount)::float8 AS gas FROM transfer WHERE code = 'gas'",
    );
    expect(rows).toEqual([{ gas }]);
    expect(Number((await coinsIn(story.pool, 'due'))['operator'])).toBeCloseTo(-gas, 12);
    expect(await coinsIn(story.pool, 'due')).toMatchObject({ [accountOf(3)]: '0.5' });
  });
});
