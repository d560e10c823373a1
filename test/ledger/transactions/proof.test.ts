/** `ledger verify` of payments on chain: it holds whatever the payer has found, and each thing that must not be breaks one check. */
import { beforeEach, describe, expect, it } from 'vitest';
import { readCommand } from '../../../src/assembly/books/command-reader.js';
import type { LiveTransaction, PayerChain, PayerSeat } from '../../../src/bridge/payouts/payer-books.js';
import { verifyBooks } from '../../../src/ledger/proof/verify.js';
import { approveBatch } from '../../../src/ledger/transactions/orders.js';
import { payerOfKey } from '../../../src/payouts/command/accounts.js';
import { nonceOf } from '../../../src/payouts/command/nonce.js';
import { buildTransfer } from '../../../src/payouts/command/transfer.js';
import { contentHash } from '../../../src/payouts/plan/content-hash.js';
import { useBooks } from '../../helpers/books/books.js';
import { coins, earn, GAS, PLACE, paid, prepareAll, takeSeat } from '../../helpers/payouts/chain-payments.js';

const books = useBooks();
beforeEach(() => books.empty());

const PAYER = payerOfKey('ab'.repeat(32));
const RECEIVERS = ['11', '22', '33'].map((two) => `k:${two.repeat(32)}`);

/** Real commands of a batch of three, sent. */
async function sent(): Promise<{ readonly seat: PayerSeat; readonly live: readonly LiveTransaction[] }> {
  await earn(books.pool, Object.fromEntries(RECEIVERS.map((name) => [name, '5.000000000001'])));
  const seat = await takeSeat(books.pool);
  await seat.bind(PAYER.account, 'development');
  await prepareAll(seat);
  return { seat, live: await sendReal(seat) };
}

async function sendReal(seat: PayerSeat): Promise<readonly LiveTransaction[]> {
  const { ledgerId } = await seat.state();
  const facts = { creationTimeS: 1000, ttlS: 900, gasLimit: 1000, gasPrice: coins('0.00000001') };
  const open = await seat.open(9);
  await seat.build(
    open.map(({ id: paymentId, attempt, chainId, account: to, amount }) => {
      const nonce = nonceOf({ ledgerId, paymentId, attempt });
      const made = buildTransfer({
        networkId: 'development',
        chainId,
        from: PAYER,
        to,
        amount,
        nonce,
        ...facts,
      });
      return { ...facts, ...made, paymentId, attempt, chainId, birth: { height: 5, hash: 'h5' } };
    }),
  );
  const ids = (await seat.live()).filter(({ state }) => state === 'built').map(({ id }) => id);
  await seat.asking(ids);
  await seat.keepSignatures(ids.map((id) => ({ id, sigs: ['00'] })));
  await seat.sending(ids);
  return (await seat.live()).filter(({ id }) => ids.includes(id));
}

/** Name of the check -> what breaks it. */
async function broken(): Promise<Record<string, string>> {
  const proofs = await verifyBooks(books.pool, readCommand);
  return Object.fromEntries(
    proofs.filter((one) => one.broken.length > 0).map((one) => [one.name, one.broken.join()]),
  );
}

/** As nobody but a mistake or a stranger in the database does. */
async function forge(...statements: readonly string[]): Promise<void> {
  const client = await books.pool.connect();
  try {
    await client.query('BEGIN');
    // Neither constraint nor trigger is in the way of who owns the tables.
    for (const text of statements) await client.query(text);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

describe('the books prove payments', () => {
  it('whatever was found, and say what only the chain can prove', async () => {
    const { seat, live } = await sent();
    const [a = expect.fail(), b = expect.fail(), c = expect.fail()] = live;
    const why = 'it is in no block';
    await seat.found([
      paid(a.id),
      { id: b.id, now: 'refused', place: PLACE, gasPaid: GAS, why: 'failed', evidence: { height: 7 } },
      { id: c.id, now: 'expired', why, evidence: { fromHeight: 5, toHeight: 40 } },
    ]);
    expect(await broken()).toEqual({});
    await seat.found([{ id: a.id, now: 'sent', evidence: { left: 'h7' } }]);
    const [again = expect.fail('no second attempt')] = await sendReal(seat);
    expect(again).toMatchObject({ account: c.account, attempt: 2 });
    expect(await broken()).toEqual({});
    await seat.found([paid(a.id), paid(again.id), { id: a.id, now: 'final', evidence: {} }]);
    expect(await broken()).toEqual({});
    const chain = (await verifyBooks(books.pool, readCommand)).find(({ name }) => name === 'payments chain');
    expect(chain?.noted.join()).toContain('`ledger payout reconcile` compares that with the books');
  });

  it('and of books that never paid on chain nothing is said of a chain', async () => {
    expect((await verifyBooks(books.pool, readCommand)).map(({ name }) => name)).not.toContain(
      'payments chain',
    );
  });
});

describe('a check breaks', () => {
  it('I2: where a line is paid without a transaction, or not paid with one', async () => {
    const { seat, live } = await sent();
    const [a = expect.fail(), b = expect.fail()] = live;
    await seat.found([paid(a.id)]);
    await forge(
      `UPDATE payment SET state = 'sent' WHERE id = ${a.paymentId}`,
      `UPDATE payment SET state = 'confirmed' WHERE id = ${b.paymentId}`,
    );
    expect(await broken()).toMatchObject({
      'payments lines': expect.stringMatching(
        new RegExp(`payment ${a.paymentId} .* is sent, and its transactions are: confirmed`),
      ),
      payouts: expect.any(String),
    });
  });

  it('I3: where two transactions of a line live, should the index ever be gone', async () => {
    const { live } = await sent();
    const [a = expect.fail()] = live;
    await forge(
      'DROP INDEX transaction_alive',
      `INSERT INTO transaction (payment_id, attempt, chain_id, cmd, request_key, creation_time, ttl, gas_limit, gas_price, birth_height, birth_hash, state)
       SELECT payment_id, 2, chain_id, cmd, 'another', creation_time, ttl, gas_limit, gas_price, 1, '', 'sent' FROM transaction WHERE id = ${a.id}`,
    );
    try {
      expect(await broken()).toMatchObject({
        'payments alive': `payment ${a.paymentId} has 2 transactions that are not dead: ${a.requestKey}, another`,
        'payments attempts': `attempt 2 of payment ${a.paymentId} was made, and that the one before is dead is not so: it is sent`,
        'payments commands': expect.stringContaining('its request key another is not the hash of its text'),
      });
    } finally {
      await forge(
        "DELETE FROM transaction WHERE request_key = 'another'",
        "CREATE UNIQUE INDEX transaction_alive ON transaction (payment_id) WHERE state NOT IN ('refused', 'expired', 'dropped')",
      );
    }
  });

  it('I4: where the text was changed, or pays something else than its line', async () => {
    const { live } = await sent();
    const [a = expect.fail(), b = expect.fail(), c = expect.fail()] = live;
    await forge(
      'ALTER TABLE transaction DISABLE TRIGGER keep_command',
      `UPDATE transaction SET cmd = replace(cmd, '5.000000000001', '6.000000000001') WHERE id = ${a.id}`,
      'ALTER TABLE transaction ENABLE TRIGGER keep_command',
      `UPDATE payment SET amount = 4 WHERE id = ${b.paymentId}`,
      `UPDATE payment SET chain_id = 1 WHERE id = ${c.paymentId}`,
    );
    const { 'payments commands': says = '' } = await broken();
    expect(says).toContain(
      `transaction ${a.id} of payment ${a.paymentId}: its request key ${a.requestKey} is not the hash`,
    );
    expect(says).toContain(
      `transaction ${b.id} of payment ${b.paymentId}: the amount is 5.000000000001, and 4.0 was expected`,
    );
    expect(says).toContain(
      `transaction ${c.id} of payment ${c.paymentId}: it is for chain 0, and the payment for chain 1`,
    );
  });

  it('I5: where nothing shows that the attempt before is dead', async () => {
    const { seat, live } = await sent();
    const [a = expect.fail()] = live;
    await seat.found([{ id: a.id, now: 'expired', why: 'somebody says so', evidence: {} }]);
    await sendReal(seat);
    // The reason alone shows nothing: it is our own word.
    await forge(
      'ALTER TABLE payment_event DISABLE TRIGGER keep_event',
      `UPDATE payment_event SET evidence = '{}' WHERE transaction_id = ${a.id} AND now = 'expired'`,
      'ALTER TABLE payment_event ENABLE TRIGGER keep_event',
    );
    expect(await broken()).toEqual({
      'payments attempts': `attempt 2 of payment ${a.paymentId} was made, and that the one before is dead is not shown by any event`,
    });
  });

  it('where money was moved without a name, under a wrong one, or for other gas', async () => {
    const { seat, live } = await sent();
    const [a = expect.fail()] = live;
    await seat.found([paid(a.id)]);
    await forge(
      `UPDATE money_move SET key = 'tx ${a.id} confirmed 9' WHERE key = 'tx ${a.id} confirmed 0'`,
      `UPDATE transaction SET gas_paid = 1 WHERE id = ${a.id}`,
    );
    const found = await broken();
    expect(found['payments moves']).toContain(`money was not moved for "tx ${a.id} confirmed 0"`);
    expect(found['payments moves']).toContain(
      `money was moved for "tx ${a.id} confirmed 9", and nothing says why`,
    );
    expect(found['payments gas']).toContain('the books say that gas took 0.000010000000');
  });

  it('where lines are others than were approved: another chain, another amount, one more', async () => {
    const { seat } = await sent();
    await seat.close();
    const hashed = async () => {
      await earn(books.pool, Object.fromEntries(RECEIVERS.map((name) => [name, '7'])));
      const again = await takeSeat(books.pool);
      const lines = (await again.due(coins('1'), 9)).map(({ account, amount }, i) => ({
        ...{ account, amount, part: 0, chainId: i % 2 },
      }));
      const terms = { minimum: coins('1'), approvalFor: 'each does', approvalsNeeded: 1, by: 'test' };
      const hash = contentHash(lines);
      const name = await again.prepare({ lines, contentHash: hash, ...terms });
      return { again, hash, name: name ?? expect.fail('nothing prepared') };
    };
    const { again, hash, name } = await hashed();
    expect(await broken()).toEqual({});
    expect(await again.faults()).toEqual([]);
    const change = (set: string): string =>
      `UPDATE payment SET ${set} WHERE id = (SELECT max(l.id) FROM payment l JOIN payout b ON b.id = l.payout_id WHERE b.name = '${name}')`;
    for (const [set, back] of [
      ['chain_id = 5', 'chain_id = 0'],
      ['amount = amount + 1', 'amount = amount - 1'],
    ] as const) {
      await forge(change(set));
      const words = `payout ${name} has other lines than it was prepared with`;
      expect((await broken())['payments content']).toContain(words);
      expect(await again.faults()).toContain(words);
      await expect(approveBatch(books.pool, name, hash, 'anna')).rejects.toThrow(words);
      await forge(change(back));
    }
    expect(await broken()).toEqual({});
    expect(await approveBatch(books.pool, name, hash, 'anna')).toBe(0);
  });

  it('I6: where what was read does not add up, or less has left the account than transactions took', async () => {
    const { seat, live } = await sent();
    const read = { height: 5, hash: 'h5' };
    const chain = { chainId: 0, balance: coins('100'), credits: 0n, debits: 0n };
    const head = { height: 9, timeS: 1 };
    const saw = (seen: Partial<PayerChain>) =>
      seat.sawChains([{ chainId: 0, head, trouble: '', read: { ...chain, read, ...seen } }]);
    await saw({});
    await seat.found(live.map(({ id }) => paid(id)));
    expect(await broken()).toEqual({});
    const all = { read: PLACE, balance: coins('84.999969999997'), debits: coins('15.000030000003') };
    await saw(all);
    expect(await broken()).toEqual({});
    await forge('UPDATE payer_chain SET balance = balance + 1');
    expect(await broken()).toEqual({
      'payments chains': 'on chain 0 the account has 85.999969999997, and by what was read 84.999969999997',
    });
    await saw({ ...all, balance: coins('85'), debits: coins('15') });
    expect(await broken()).toEqual({
      'payments chains':
        'on chain 0 transactions took 15.000030000003 in blocks 6 to 7, and 15.000000000000 left the account',
    });
  });
});
