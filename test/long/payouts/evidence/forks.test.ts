/** Reorganisations, forks and nodes that disagree. Numbers are those of `payouts.md`, 8. */
import { afterEach, describe, expect, it } from 'vitest';
import { OnePayment } from '../../../helpers/payouts/one-payment.js';
import {
  balanceOf,
  MINER,
  PAYER,
  type Paid,
  payment,
  World,
  type WorldOptions,
} from '../../../helpers/payouts/world.js';
import { funds } from '../../../helpers/processes/commands.js';
import { keyPair } from '../../../helpers/processes/key-pair.js';

let world: World;
afterEach(() => world[Symbol.asyncDispose]());

async function begin(options: WorldOptions = {}, paid: Partial<Paid> = {}): Promise<OnePayment> {
  world = await World.start(options);
  await world.mine(5);
  await world.agree();
  return await OnePayment.make(await world.eyes(), paid);
}

const kinds = (paid: OnePayment): string[] => paid.sight.troubles.map(({ kind }) => kind);

describe('a reorganisation of the paying block', () => {
  it.each([0, 1, 2, 3])(
    '12: at depth %i it is told with its depth, and the same bytes are paid once',
    async (depth) => {
      const paid = await begin({ nodes: 2 });
      world.part();
      await paid.eyes.send(0, paid.envelope);
      await world.mine(1 + depth);
      world.b.liar.lie({ isSilent: true });
      expect(await paid.kind()).toBe(depth >= 3 ? 'confirmed' : 'included');
      await (await fetch(`${world.b.node.controlUrl}/mempool`, { method: 'DELETE' })).json();
      await world.mine(3 + depth, { on: world.b });
      world.b.liar.beHonest();
      await world.join();
      expect(await paid.look()).toMatchObject({ kind: 'left', depth });
      expect(kinds(paid)).not.toContain('reorganised-deeper');
      expect(await paid.kind()).toBe('waiting');
      await paid.send();
      await world.mine(4);
      await world.agree();
      expect(await paid.kind()).toBe('confirmed');
      expect(await balanceOf(world.b, keyPair(9))).toBe('1.5');
    },
  );

  it('12: deeper than the depth it is told as such', async () => {
    const paid = await begin({ nodes: 2 });
    world.part();
    await world.a.liar.lie({});
    await paid.eyes.send(0, paid.envelope);
    world.b.liar.lie({ isSilent: true });
    await world.mine(5);
    expect(await paid.kind()).toBe('confirmed');
    await (await fetch(`${world.b.node.controlUrl}/mempool`, { method: 'DELETE' })).json();
    await world.mine(7, { on: world.b });
    world.b.liar.beHonest();
    // They disagree at the depth as long as the links are cut: nothing is concluded.
    expect(await paid.kind()).toBe('withheld');
    await world.join();
    expect(await paid.look()).toMatchObject({ kind: 'deep', depth: 4 });
    expect(kinds(paid)).toEqual([]);
  });

  it.each([
    ['success', 'failure'],
    ['failure', 'success'],
  ])('13: %s on one fork and %s on the other', async (here, there) => {
    const rich = keyPair(3);
    const paid = await begin({ nodes: 2, funds: [funds(PAYER, '10')] }, { amount: '6.0' });
    world.part();
    world.b.liar.lie({ isSilent: true });
    // On one fork another command of the account comes first, and too little is left.
    const bad = here === 'failure' ? world.a : world.b;
    const { creationTimeS } = paid.tx;
    await postTo(bad, payment({ creationTimeS, to: rich, amount: '7.0', nonce: 'a person' }));
    await world.mine(1, { on: bad });
    for (const node of world.nodes) await postTo(node, paid.envelope);
    await world.mine(2);
    expect(await paid.look()).toMatchObject({ kind: 'included', result: here });
    await world.mine(6, { on: world.b });
    world.b.liar.beHonest();
    await world.join();
    expect(await paid.kind()).toBe('left');
    expect(await paid.kind()).toBe(there === 'failure' ? 'refused' : 'confirmed');
    expect(Number((await balanceOf(world.a, keyPair(9))) ?? 0)).toBe(there === 'failure' ? 0 : 6);
  });

  it('14: it takes the reward that paid for it: the transaction is dead when its time is over', async () => {
    const poor = await begin(
      { nodes: 2, funds: [funds(keyPair(3), '1')], miners: [MINER, PAYER] },
      { amount: '1.0' },
    );
    world.part();
    world.a.liar.lie({ isSilent: true });
    await world.mine(1, { on: world.b });
    await postTo(world.b, poor.envelope);
    await world.mine(1, { on: world.b });
    expect(await poor.kind()).toBe('included');
    expect(poor.sight.blocks.flatMap(({ credits }) => credits)).toContainEqual(
      expect.objectContaining({ from: '', to: PAYER.account, requestKey: undefined }),
    );
    await world.mine(4);
    world.a.liar.beHonest();
    await world.join();
    expect((await poor.look()).kind).toBe('left');
    // The other node has it in its pool again, where it waits in vain.
    expect(await poor.send()).toMatchObject([
      { kind: 'refused', words: expect.stringContaining('No value found') },
      {},
    ]);
    expect(await poor.kind()).toBe('waiting');
    await world.mine(33);
    expect(await poor.kind()).toBe('expired');
  });
});

describe('nodes that differ', () => {
  it('15: a fork of little work that lacks it changes nothing', async () => {
    const paid = await begin({ nodes: 2 });
    world.part();
    await postTo(world.a, paid.envelope);
    await world.mine(2);
    await world.mine(1, { on: world.b });
    expect(await paid.kind()).toBe('included');
    expect(paid.sight.nodes).toMatchObject([{ standing: 'agrees' }, { standing: 'agrees' }]);
    // The node with more work is not to be reached: what was verified does not vanish.
    world.a.liar.lie({ isSilent: true });
    expect(await paid.kind()).toBe('included');
    expect(paid.sight.left).toEqual([]);
  });

  it('15: less work is less, however many blocks it is: weights are added up', async () => {
    // Difficulty is real here: blocks a second apart grow hard, those minutes apart easy.
    world = await World.start({ nodes: 2, options: { blockDelayMs: 30_000, genesisDifficulty: 16 } });
    await world.mine(5);
    await world.agree();
    const paid = await OnePayment.make(await world.eyes({ depth: 30 }), { ttlS: 3_600 });
    world.part();
    await postTo(world.a, paid.envelope);
    await world.mine(9, { everyS: 1 });
    await world.mine(12, { on: world.b, everyS: 200 });
    const sight = await paid.eyes.look(0, 0);
    const [of, other] = sight.nodes.map(({ head }) => head?.height);
    expect([of, other]).toEqual([14, 17]);
    expect(sight.head).toMatchObject({ height: 14, hash: world.a.node.cut().hashes[0] });
    expect(sight.blocks.flatMap(({ commands }) => commands)).toMatchObject([
      { requestKey: paid.envelope.hash },
    ]);
    await world.join();
    // The nodes think so, too.
    expect(world.b.node.cut().hashes[0]).toBe(sight.head?.hash);
  });

  it('a node that is far behind is not asked for a dry run', async () => {
    const paid = await begin({ nodes: 2 });
    world.part();
    await world.mine(40);
    const later = await OnePayment.make(paid.eyes, { nonce: 'sb1:test:2:1' });
    expect(later.sight.nodes).toMatchObject([{ standing: 'agrees' }, { standing: 'behind' }]);
    expect(await paid.eyes.preflight(0, later.envelope)).toMatchObject({ kind: 'success' });
  });

  it('a node that is far behind when it is first looked at has no other chain', async () => {
    await begin({ nodes: 2 });
    world.part();
    await world.mine(20);
    const eyes = await world.eyes();
    const { nodes, troubles } = await eyes.look(0, Number.MAX_SAFE_INTEGER);
    expect(nodes).toMatchObject([{ standing: 'agrees' }, { standing: 'behind' }]);
    expect(troubles).toEqual([]);
  });

  it('a node that begins anew is behind, however much it lacks', async () => {
    const paid = await begin({ nodes: 2 });
    await world.mine(20);
    await world.agree();
    const eyes = await world.eyes();
    expect((await eyes.look(0, Number.MAX_SAFE_INTEGER)).blocks).toHaveLength(1);
    world.part();
    await world.restart(1, { initialBalances: [funds(PAYER, '1000')] });
    const { nodes, troubles } = await eyes.look(0, Number.MAX_SAFE_INTEGER);
    expect(nodes).toMatchObject([{ standing: 'agrees' }, { standing: 'behind' }]);
    expect(troubles).toEqual([]);
    expect(await paid.kind()).toBe('waiting');
  });

  it('17: at the depth they have different blocks: nothing is concluded, and both names are told', async () => {
    const paid = await begin({ nodes: 2 });
    world.part();
    await postTo(world.a, paid.envelope);
    await world.mine(6);
    await world.mine(5, { on: world.b });
    expect(await paid.look()).toMatchObject({
      kind: 'withheld',
      why: expect.stringContaining('b has another chain 0'),
    });
    expect(kinds(paid)).toEqual(['disagree']);
    await world.join();
    expect(await paid.kind()).toBe('confirmed');
    expect(kinds(paid)).toEqual([]);
  });

  it('18: all nodes restart and forget what waits: sent again, it is paid', async () => {
    const paid = await begin({ nodes: 2 });
    await paid.send();
    // One that has not forgotten it yet would tell the other.
    world.part();
    for (const { node } of world.nodes)
      await (await fetch(`${node.controlUrl}/mempool`, { method: 'DELETE' })).json();
    await world.mine(2);
    expect(await paid.kind()).toBe('waiting');
    await world.join();
    await paid.send();
    await world.mine(4);
    await world.agree();
    expect(await paid.kind()).toBe('confirmed');
  });

  it('18: all nodes restart and forget the chain: nothing is concluded of their new one', async () => {
    const paid = await begin();
    await paid.send();
    await world.mine(4);
    expect(await paid.kind()).toBe('confirmed');
    await world.restart(0, { initialBalances: [funds(PAYER, '1000')] });
    // It is behind: what was verified stays.
    expect(await paid.kind()).toBe('confirmed');
    await world.mine(4);
    expect(await paid.kind()).toBe('withheld');
    expect(kinds(paid)).toContain('disagree');
  });
});

async function postTo({ url }: { readonly url: string }, envelope: { readonly cmd: string }): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ cmds: [envelope] });
  const answer = await fetch(`${url}/chain/0/pact/api/v1/send`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(await answer.text());
}
