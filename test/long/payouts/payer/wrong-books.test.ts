/** Books that are wrong pay nobody: what is asked of them before each batch and after each start, and what `ledger verify` finds. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCommand } from '../../../../src/assembly/books/command-reader.js';
import { proveBooks } from '../../../../src/ledger/proof/pause.js';
import { resumePayer } from '../../../../src/ledger/transactions/orders.js';
import { ledgerOrders } from '../../../../src/ledger/watch/orders.js';
import { useBooks } from '../../../helpers/books/books.js';
import { expectProved } from '../../../helpers/books/money.js';
import { earn, PayerStory } from '../../../helpers/payouts/story.js';
import { World } from '../../../helpers/payouts/world.js';

const books = useBooks();
let world: World;
let payer: PayerStory;

beforeEach(async () => {
  await books.empty();
  world = await World.start();
  await world.mine(5);
  payer = await PayerStory.start(world, books, { nextAfter: (ms) => ms + 1 });
});
afterEach(async () => {
  await payer.close();
  await world[Symbol.asyncDispose]();
});

const change = (text: string) => books.pool.query(text);

describe('books that somebody has changed', () => {
  it.each([
    [
      'a balance grows',
      "UPDATE balance SET amount = amount + 1 WHERE book = 'balance' AND account_id <> 0",
      'I1',
    ],
    ['less is paid than the lines say', "UPDATE balance SET amount = amount - 1 WHERE book = 'paid'", 'I1'],
    ['a line that was paid is not', "UPDATE payment SET state = 'failed'", 'I2: paid of'],
    ['a line is paid again', "UPDATE payment SET state = 'prepared'", 'I2: paid of'],
  ])('make no batch: %s', async (_, text, says) => {
    await earn(books, { 1: '5' });
    await payer.round(3);
    await payer.blocks(4);
    expect(await payer.states()).toEqual(['confirmed']);
    await earn(books, { 2: '4' });
    await change(text);
    await payer.round();
    expect((await payer.seat.state()).pause).toMatchObject({
      kind: 'books-wrong',
      says: expect.stringContaining(says),
    });
    expect(await payer.states()).toEqual(['confirmed']);
  });

  it('are found with the first round of a start, before anything is signed', async () => {
    await earn(books, { 1: '5' });
    await payer.round();
    await payer.prepare();
    await change('UPDATE payment SET amount = amount + 1');
    await payer.close();
    payer = await PayerStory.start(world, books);
    await payer.round(2);
    expect(await payer.pause()).toBe('books-wrong');
    expect(payer.signer.signed).toEqual([]);
    // Who resumes anyway lets go on what is under way.
    await resumePayer(books.pool, 'I know of it', 'anna');
    await payer.round();
    expect(await payer.pause()).toBeUndefined();
    expect(payer.signer.signed).toHaveLength(1);
  });

  it('have two transactions of a line that live, should the index ever be gone', async () => {
    await earn(books, { 1: '5' });
    await payer.round(3);
    await change('DROP INDEX transaction_alive');
    try {
      await change(
        `INSERT INTO transaction (payment_id, attempt, chain_id, cmd, request_key, creation_time, ttl, gas_limit, gas_price, birth_height, birth_hash, state, followed)
         SELECT payment_id, 2, chain_id, cmd, 'another', creation_time, ttl, gas_limit, gas_price, 1, '', 'expired', false FROM transaction`,
      );
      expect(await payer.seat.faults()).toEqual([]);
      await change("UPDATE transaction SET state = 'final' WHERE request_key = 'another'");
      expect(await payer.seat.faults()).toEqual([
        expect.stringContaining('has 2 transactions that are not dead'),
      ]);
    } finally {
      await change("DELETE FROM transaction WHERE request_key = 'another'");
      await change(
        "CREATE UNIQUE INDEX transaction_alive ON transaction (payment_id) WHERE state NOT IN ('refused', 'expired', 'dropped')",
      );
    }
  });
});

describe('a proof that fails', () => {
  const prove = async (by: string, isManual = false) => {
    const { proofs, said } = await proveBooks(books.pool, { check: readCommand, isManual, by });
    return { said, failed: proofs.filter(({ broken }) => broken.length > 0).map(({ name }) => name) };
  };
  const resume = (note: string) =>
    ledgerOrders(books.pool, readCommand).resumePayer({ note, anyway: false }, 'bert');

  it('pauses payouts, and resuming looks at the same checks again', async () => {
    await earn(books, { 1: '5' });
    await payer.round();
    const was = "UPDATE posting SET cause = 'given' WHERE account_id = 0";
    await change("UPDATE posting SET cause = 'taken' WHERE account_id = 0");
    const by = 'anna';
    expect(await prove(by)).toEqual({
      ...{ failed: ['postings'], said: expect.stringContaining('payouts are paused until') },
    });
    expect((await payer.seat.state()).pause).toMatchObject({
      ...{ kind: 'books-wrong', by, says: expect.stringContaining('checks of the books fail: postings') },
      evidence: { postings: [expect.stringContaining('given of'), expect.stringContaining('taken of')] },
    });
    expect((await prove(by)).said).toContain('were paused before');
    expect(await resume('mended')).toMatchObject({
      ...{ refused: 'busy', why: expect.stringContaining('postings: given of') },
    });
    await change(was);
    expect(await resume('mended')).toMatchObject({ payer: { paused: null } });
    await expectProved(books.pool);
  });

  it('of what is not about money is looked at before payouts go on, too', async () => {
    await change(
      "INSERT INTO closed (until) VALUES (now() + interval '1 day') ON CONFLICT (only_row) DO UPDATE SET until = excluded.until",
    );
    const { failed } = await prove('anna');
    expect(await resume('why not')).toMatchObject({ why: expect.stringContaining(failed[0] ?? 'none') });
  });

  it('says that nothing is paused where payouts are paid by hand', async () => {
    await payer.close();
    await change('UPDATE payer SET account = NULL, network = NULL');
    await earn(books, { 1: '5' });
    await change("UPDATE posting SET cause = 'taken' WHERE account_id = 0");
    expect((await prove('anna', true)).said).toContain('they are paid by hand');
    payer = await PayerStory.start(world, books);
    expect(await payer.pause()).toBeUndefined();
    expect((await prove('anna', true)).said).toContain('payouts are paused until');
  });
});
