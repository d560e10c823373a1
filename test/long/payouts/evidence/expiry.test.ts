/** When a transaction is dead because its time is over. Numbers are those of `payouts.md`, 8. */
import { afterEach, describe, expect, it } from 'vitest';
import { OnePayment } from '../../../helpers/payouts/one-payment.js';
import { balanceOf, World, type WorldOptions } from '../../../helpers/payouts/world.js';
import { keyPair } from '../../../helpers/processes/key-pair.js';

let world: World;
afterEach(() => world[Symbol.asyncDispose]());

async function begin(options: WorldOptions = {}): Promise<OnePayment> {
  world = await World.start(options);
  await world.mine(5);
  await world.agree();
  return await OnePayment.make(await world.eyes());
}

const kinds = (paid: OnePayment): string[] => paid.sight.troubles.map(({ kind }) => kind);

describe('a transaction in no block', () => {
  it('is dead at the depth of a block past its time, with the blocks that prove it', async () => {
    const paid = await begin();
    await world.mine(31);
    expect(await paid.kind()).toBe('waiting');
    await world.mine(1);
    const hash = paid.sight.blocks.at(-1)?.hash;
    const proof = { from: paid.tx.birth, to: { height: 5 + 29, hash: expect.any(String) } };
    expect(await paid.look()).toEqual({ kind: 'expired', proof });
    expect(hash).not.toBe(paid.sight.head?.hash);
    // What comes after that block is refused by every node, whoever sends it.
    expect(await paid.send()).toMatchObject([{ kind: 'refused', words: expect.stringContaining('expired') }]);
  });

  it('9: its time is over at the very block that holds it', async () => {
    const paid = await begin();
    await paid.send();
    // The last block that may hold it is the one before its time is over; the next is past it.
    world.clock.advance(869);
    await world.mine(1, { everyS: 0 });
    await world.mine(4);
    expect(await paid.kind()).toBe('confirmed');
    expect(await balanceOf(world.a, keyPair(9))).toBe('1.5');
  });

  it('10: the node is behind and our clock is past its time: it waits', async () => {
    const paid = await begin({ nodes: 2 });
    world.b.liar.lie({ isSilent: true });
    world.a.liar.lie({ isFrozen: true });
    await paid.look();
    await paid.send();
    await world.mine(1, { on: world.b });
    await world.agree();
    await world.mine(40, { on: world.b });
    world.skewS = 3600;
    // a tells its old cut; what it is asked about it answers.
    expect(await paid.kind()).toBe('waiting');
    expect(kinds(paid)).toContain('lags');
    world.b.liar.beHonest();
    expect(await paid.kind()).toBe('final');
    expect(paid.sight.nodes).toMatchObject([{ standing: 'behind' }, { standing: 'agrees' }]);
  });

  it.each([-3600, 3600])(
    '11: our clock is wrong by %i s, and steps: no state moves with it',
    async (skewS) => {
      const paid = await begin();
      const judged = async (): Promise<string[]> => {
        const seen: string[] = [];
        for (const at of [0, skewS, -skewS, 0]) {
          world.skewS = at;
          seen.push(await paid.kind());
        }
        return [...new Set(seen)];
      };
      expect(await judged()).toEqual(['waiting']);
      await paid.send();
      await world.mine(1);
      expect(await judged()).toEqual(['included']);
      world.skewS = 3600;
      await paid.look();
      expect(kinds(paid)).toEqual(['lags']);
      world.skewS = -3600;
      await paid.look();
      expect(kinds(paid)).toEqual(['clock']);
      await world.mine(3);
      expect(await judged()).toEqual(['confirmed']);
    },
  );

  it('11: the clocks of nodes are wrong: each is told, and no state moves with it', async () => {
    const paid = await begin({ nodes: 3 });
    await paid.send();
    const skews = async () =>
      Object.fromEntries((await paid.eyes.clocks()).map(({ node, skewS }) => [node, skewS]));
    world.a.liar.lie({ skewS: 3600 });
    expect(await skews()).toEqual({ a: -3600, b: 0, c: 0 });
    world.b.liar.lie({ skewS: 3600 });
    expect(await skews()).toEqual({ a: -3600, b: -3600, c: 0 });
    expect(await paid.kind()).toBe('waiting');
    expect(kinds(paid)).toEqual([]);
  });

  it('12: its block leaves after its time, and it is dead by a proof on the new chain', async () => {
    const paid = await begin();
    world.a.node.orders.snapshots.take('before');
    await paid.send();
    await world.mine(2);
    expect(await paid.kind()).toBe('included');
    world.a.node.orders.snapshots.revert('before');
    await (await fetch(`${world.a.node.controlUrl}/mempool`, { method: 'DELETE' })).json();
    world.clock.advance(900);
    await world.mine(3);
    expect(await paid.look()).toMatchObject({ kind: 'left', depth: 1 });
    expect(await paid.kind()).toBe('waiting');
    await world.mine(1);
    expect(await paid.look()).toMatchObject({ kind: 'expired', proof: { from: paid.tx.birth } });
  });

  it('is proven on another chain when the block is gone on top of which it was made', async () => {
    const paid = await begin();
    world.a.node.orders.snapshots.take('before');
    await world.mine(4);
    const later = await OnePayment.make(paid.eyes, { nonce: 'sb1:test:2:1' });
    expect(later.tx.birth.height).toBe(9);
    world.a.node.orders.snapshots.revert('before');
    await world.mine(5);
    // Made on top of block 9 of another chain, it may be in block 6 of this one.
    await later.send();
    await world.mine(1);
    expect(await later.kind()).toBe('included');
    expect(await paid.kind()).toBe('waiting');
    const third = await OnePayment.make(paid.eyes, { nonce: 'sb1:test:3:1' });
    await world.mine(40);
    expect(await third.look()).toMatchObject({ kind: 'expired', proof: { from: third.tx.birth } });
    const orphaned = { ...third.tx, birth: { height: 11, hash: later.tx.birth.hash } };
    third.tx = orphaned;
    const verdict = await third.look();
    expect(verdict).toMatchObject({ kind: 'expired' });
    expect(verdict.kind === 'expired' && verdict.proof.from.height).toBe(0);
  });

  it('is found below the height of the orphaned block on top of which it was made', async () => {
    const paid = await begin();
    world.a.node.orders.snapshots.take('before');
    await world.mine(4);
    const later = await OnePayment.make(paid.eyes, { nonce: 'sb1:test:2:1' });
    world.a.node.orders.snapshots.revert('before');
    // Its first block of the other chain has it, far below the height at which it was made.
    world.clock.advance(200);
    await later.send();
    await world.mine(5);
    expect(await later.look()).toMatchObject({ kind: 'confirmed', place: { height: 6 } });
  });
});
