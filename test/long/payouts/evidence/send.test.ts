/** What nodes say of a command that they were sent moves nothing: the chain alone does. Numbers are those of `payouts.md`, 8. */
import { afterEach, describe, expect, it } from 'vitest';
import { OnePayment } from '../../../helpers/payouts/one-payment.js';
import { balanceOf, type Paid, World, type WorldOptions } from '../../../helpers/payouts/world.js';
import { keyPair } from '../../../helpers/processes/key-pair.js';

let world: World;
afterEach(() => world[Symbol.asyncDispose]());

async function begin(options: WorldOptions = {}, paid: Partial<Paid> = {}): Promise<OnePayment> {
  world = await World.start(options);
  await world.mine(5);
  await world.agree();
  return await OnePayment.make(await world.eyes(), paid);
}

describe('a command that was sent', () => {
  it('is included, confirmed at the depth, final at twice the depth', async () => {
    const paid = await begin();
    expect(await paid.send()).toEqual([{ node: 'a', kind: 'accepted' }]);
    expect(await paid.kind()).toBe('waiting');
    await world.mine(1);
    const place = { height: 6, hash: world.a.node.cut().hashes[0] };
    expect(await paid.look()).toEqual({ kind: 'included', place, result: 'success' });
    await world.mine(2);
    expect(await paid.kind()).toBe('included');
    await world.mine(1);
    expect(await paid.look()).toEqual({ kind: 'confirmed', place, gasPaid: expect.any(BigInt) });
    await world.mine(2);
    expect(await paid.kind()).toBe('confirmed');
    await world.mine(1);
    expect(await paid.kind()).toBe('final');
    expect(paid.sight.troubles).toEqual([]);
  });

  it('2: the answer is lost, and it is in the next block all the same', async () => {
    const paid = await begin();
    world.a.liar.lie({ send: 'lost' });
    expect(await paid.send()).toMatchObject([{ node: 'a', kind: 'no answer' }]);
    expect(await paid.kind()).toBe('waiting');
    await world.mine(1);
    expect(await paid.kind()).toBe('included');
  });

  it.each([400, 500])('3: the answer is %i, and it is in the next block all the same', async (status) => {
    const paid = await begin();
    world.a.liar.lie({ send: { status, text: 'Attempt to buy gas failed with: Insufficient funds' } });
    expect(await paid.send()).toMatchObject([
      { kind: 'refused', words: expect.stringContaining('Insufficient') },
    ]);
    expect(await paid.kind()).toBe('waiting');
    await world.mine(4);
    expect(await paid.kind()).toBe('confirmed');
    expect(await balanceOf(world.a, keyPair(9))).toBe('1.5');
  });

  it('4: the answer is 200, and it was dropped: it waits until it is sent again', async () => {
    const paid = await begin();
    world.a.liar.lie({ send: 'dropped' });
    expect(await paid.send()).toEqual([{ node: 'a', kind: 'accepted' }]);
    await world.mine(4);
    expect(await paid.kind()).toBe('waiting');
    world.a.liar.beHonest();
    await paid.send();
    await world.mine(1);
    expect(await paid.kind()).toBe('included');
  });

  it('5: the same bytes to three nodes at once, twice: paid once', async () => {
    const paid = await begin({ nodes: 3 });
    const answers = await Promise.all([paid.send(), paid.send()]);
    expect(answers.flat().map(({ kind }) => kind)).toEqual(Array(6).fill('accepted'));
    await world.mine(1);
    await world.agree();
    await world.mine(1, { on: world.b });
    await world.agree();
    await world.mine(2, { on: world.c });
    await world.agree();
    expect(await paid.kind()).toBe('confirmed');
    expect(await balanceOf(world.c, keyPair(9))).toBe('1.5');
  });

  it('6: "already exists on chain" of a block that was orphaned: it waits, and the same bytes are included again', async () => {
    const paid = await begin();
    world.a.node.orders.snapshots.take('before');
    await paid.send();
    await world.mine(1);
    expect(await paid.kind()).toBe('included');
    world.a.node.orders.snapshots.revert('before');
    await world.mine(2);
    expect(await paid.look()).toMatchObject({ kind: 'left', depth: 0 });
    const text = 'One or more transactions were invalid: Transaction already exists on chain';
    world.a.liar.lie({ send: { status: 400, text } });
    expect(await paid.send()).toMatchObject([
      { kind: 'refused', words: expect.stringContaining('already exists') },
    ]);
    expect(await paid.kind()).toBe('waiting');
    await world.mine(4);
    expect(await paid.kind()).toBe('confirmed');
    expect(await balanceOf(world.a, keyPair(9))).toBe('1.5');
  });

  it('7: one node says that it is bad, and another includes it', async () => {
    const paid = await begin({ nodes: 2 });
    const text = 'Transaction is badlisted because it previously failed to validate.';
    world.a.liar.lie({ send: { status: 400, text }, hidesCommands: true });
    expect((await paid.send()).map(({ kind }) => kind).sort()).toEqual(['accepted', 'refused']);
    expect(await paid.kind()).toBe('waiting');
    await world.mine(1, { on: world.b });
    await world.agree();
    expect(await paid.kind()).toBe('included');
  });

  it('8: nothing of it is seen for as long as it may come, and then it is in the last block that may hold it', async () => {
    const paid = await begin();
    world.a.liar.lie({ hidesCommands: true, send: 'dropped' });
    await paid.send();
    // Made half a minute before the head; a block every 30 s: the 29th above it is the last before 900 s are over.
    for (let i = 0; i < 28; i++) {
      await world.mine(1);
      expect(await paid.kind()).toBe('waiting');
    }
    world.a.liar.lie({ send: 'honest' });
    await paid.send();
    await world.mine(1, { everyS: 29 });
    expect(await paid.kind()).toBe('included');
    // Past its time at any depth.
    await world.mine(3);
    expect(await paid.kind()).toBe('confirmed');
  });

  it('22: its gas is too little: it fails on chain, and is dead at the depth', async () => {
    const paid = await begin({}, { gasLimit: 120, gasPrice: 1e-6 });
    await paid.send();
    await world.mine(3);
    expect(await paid.look()).toMatchObject({ kind: 'included', result: 'failure' });
    await world.mine(1);
    const why = expect.stringContaining('Gas limit');
    expect(await paid.look()).toMatchObject({ kind: 'refused', gasPaid: 120_000_000n, why, isFinal: false });
    await world.mine(3);
    expect(await paid.look()).toMatchObject({ kind: 'refused', isFinal: true });
    expect(paid.sight.blocks.flatMap(({ debits }) => debits)).toMatchObject([{ amount: 120_000_000n }]);
  });

  it('23: its gas is too cheap: no node takes it, and it is dead when its time is proven to be over', async () => {
    const paid = await begin({}, { gasPrice: 1e-10 });
    expect(await paid.send()).toMatchObject([
      { kind: 'refused', words: expect.stringContaining('gas price') },
    ]);
    await world.mine(29);
    expect(await paid.kind()).toBe('waiting');
    await world.mine(3);
    expect(await paid.kind()).toBe('expired');
  });
});
