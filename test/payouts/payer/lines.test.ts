/** Lines that cannot be paid now, and what they keep from being paid: nothing else. */
import { describe, expect, it } from 'vitest';
import { askForPayout } from '../../../src/ledger/payer/orders.js';
import { coinsIn } from '../../helpers/books/money.js';
import { accountOf, keepPayload, PayerStory } from '../../helpers/payouts/payer-story.js';
import { PAYER } from '../../helpers/payouts/payer-terms.js';
import { transfer } from '../../helpers/processes/commands.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { until } from '../../helpers/until.js';

const NOTE = { note: 'a test' };

/** All that wait for it. */
async function approve(story: PayerStory): Promise<void> {
  const { id, hash } = await until('a payout waits', async () => {
    const { rows } = await story.pool.query<{ id: string; hash: string }>(
      'SELECT id::text, hash FROM payout WHERE hash IS NOT NULL AND cardinality(approved_by) < approvals',
    );
    return rows[0];
  });
  expect(await story.orders.approvePayout({ id, hash }, 'alice')).toEqual({ missing: 0 });
}

describe('lines', () => {
  it('PA17: of a chain that stands still, however many, keep none of another chain from being paid', async () => {
    await using story = await PayerStory.open();
    story.pay({ rules: { payoutMode: 'approve', minimum: 1n } });
    await story.pool.query(
      `INSERT INTO account (name, key, wished_chain) SELECT name, sha256(convert_to(name, 'UTF8')), 0
       FROM (SELECT 'k:' || lpad(to_hex(n), 64, '0') AS name FROM generate_series(1, 2001) AS n) AS miners`,
    );
    await story.pool.query(
      `SELECT transfer_money(array_agg(('block', -id, 1, chain_account(0), id, 0.01)::money_move)) FROM account WHERE wished_chain = 0`,
    );
    await askForPayout(story.pool);
    await until('a payout waits', async () => (await story.shown()).waiting === 1);
    const stop = keepPayload(story, 0);
    await story.mine(5);
    await until('chain 0 stands still', async () => {
      const { rows } = await story.pool.query("SELECT FROM chain WHERE id = 0 AND trouble <> ''");
      return rows.length > 0;
    });
    await approve(story);
    await story.give({ 1: '5' });
    await story.pool.query('UPDATE account SET wished_chain = 1 WHERE name = $1', [accountOf(1)]);
    await askForPayout(story.pool);
    await approve(story);
    const [only] = await story.are(['1 open sent']);
    expect(only).toMatchObject({ account: accountOf(1), chainId: 1 });
    stop();
  });

  it('are withdrawn and planned anew where the balance of their account does not cover them any more', async () => {
    await using story = await PayerStory.open();
    const payer = story.pay({ rules: { payoutMode: 'approve' } });
    await story.owe({ 1: '5', 2: '7' });
    await until('a payout waits', async () => (await story.shown()).waiting === 1);
    await story.copyPays('4711', 1, '3');
    await story.mineUntil('1 paid');
    await story.paused('anotherPayer');
    await story.orders.resumePayments(NOTE, 'alice');
    await approve(story);
    await story.mineUntil('1 paid', '1 paid');
    await payer.turn();
    expect(await coinsIn(story.pool, 'due')).toMatchObject({ [accountOf(1)]: '2' });
    await askForPayout(story.pool);
    await approve(story);
    await story.mineUntil('1 paid', '1 paid', '1 paid');
    await story.expectPaid({ 1: '5', 2: '7' });
  });

  it('that fail on the chain cost their gas, are due again, and are paid by another payout', async () => {
    await using story = await PayerStory.open();
    await story.faults({ holdTransactions: true });
    const payer = story.pay();
    await story.owe({ 1: '5' });
    const [{ chainId } = { chainId: 0 }] = await story.arrived();
    // Somebody with the key takes the coins of that chain first.
    const meta = {
      gasPrice: 1e-7,
      gasLimit: 2_500,
      ttl: 900,
      creationTime: Math.floor(story.nowMs / 1_000) - 30,
    };
    await story.send(transfer(PAYER, keyPair(9), '998.0', { chainId, meta }), chainId);
    await story.faults({ holdTransactions: false });
    await story.mineUntil('1 failed');
    await story.paused('foreignDebit');
    expect(Number((await coinsIn(story.pool, 'due'))['operator'])).toBeLessThan(0);
    expect(await coinsIn(story.pool, 'due')).toMatchObject({ [accountOf(1)]: '5' });
    await story.expectPaid({ 1: '0' });
    await story.orders.resumePayments(NOTE, 'alice');
    await payer.turn();
    await askForPayout(story.pool);
    const all = await story.mineUntil('1 failed', '1 paid');
    expect(all[1]?.chainId).not.toBe(chainId);
    await story.expectPaid({ 1: '5' });
  });
});
