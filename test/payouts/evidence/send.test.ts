/** What nodes say of a command that they were sent moves nothing: the chain alone does. */
import { afterEach, describe, expect, it } from 'vitest';
import { OnePayment } from '../../helpers/payouts/one-payment.js';
import { World, type WorldOptions } from '../../helpers/payouts/world.js';

let world: World;
afterEach(() => world[Symbol.asyncDispose]());

async function begin(options: WorldOptions = {}): Promise<OnePayment> {
  world = await World.start(options);
  await world.mine(5);
  await world.agree();
  return await OnePayment.make(await world.eyes());
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
});
