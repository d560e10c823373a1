/** Many blocks are read over many looks: each once, and nothing is concluded that needs all of them. */
import { afterEach, expect, it } from 'vitest';
import type { Eyes } from '../../../../src/payouts/evidence/eyes.js';
import type { ChainSight } from '../../../../src/payouts/evidence/sight.js';
import { World } from '../../../helpers/payouts/world.js';
import { keyPair } from '../../../helpers/processes/key-pair.js';

let world: World;
afterEach(() => world[Symbol.asyncDispose]());

const span = ({ blocks }: ChainSight) => [blocks[0]?.height, blocks.at(-1)?.height];
const reading = ({ troubles }: ChainSight) => troubles.find(({ kind }) => kind === 'reading')?.says;
const payloads = () => world.a.liar.asked.filter((asked) => asked.includes('/payload/outputs/batch')).length;

/** Looks of so many blocks at most, until one has all. */
async function looks(eyes: Eyes, fromHeight: number, most: number): Promise<ChainSight[]> {
  const all: ChainSight[] = [];
  for (;;) {
    const sight = await eyes.look(0, fromHeight, undefined, most);
    all.push(sight);
    if (reading(sight) === undefined) return all;
  }
}

it('a chain of which nothing is known is believed from below, piece by piece, as far as it was read', async () => {
  world = await World.start();
  await world.mine(20);
  const eyes = await world.eyes();
  const sights = await looks(eyes, 0, 8);
  expect(sights.map(span)).toEqual([
    [0, 7],
    [0, 15],
    [0, 20],
  ]);
  expect(sights.map(reading)).toEqual([
    'blocks of chain 0 are being read: 13 to go',
    'blocks of chain 0 are being read: 5 to go',
    undefined,
  ]);
  expect(payloads()).toBe(3);
  expect((await eyes.look(0, 0)).blocks).toEqual((await (await world.eyes()).look(0, 0)).blocks);
});

it('blocks that came while nobody looked, and more that come meanwhile', async () => {
  world = await World.start();
  await world.mine(3);
  const eyes = await world.eyes();
  await eyes.look(0, 0);
  await world.mine(10);
  const first = await eyes.look(0, 0, undefined, 8);
  expect([span(first), reading(first)]).toEqual([[0, 11], expect.stringContaining(': 2 to go')]);
  await world.mine(1);
  const second = await eyes.look(0, 0, undefined, 8);
  expect([span(second), reading(second)]).toEqual([[0, 14], undefined]);
});

it('what is below the window is read downwards, and stays from look to look', async () => {
  world = await World.start();
  await world.mine(30);
  const eyes = await world.eyes();
  await eyes.look(0, Number.MAX_SAFE_INTEGER);
  const asked = world.a.liar.asked.length;
  const sights = await looks(eyes, 0, 10);
  // And no more headers than blocks.
  const headers = world.a.liar.asked.slice(asked).filter((one) => one.includes('/header/branch'));
  expect(headers.map((one) => /limit=(\d+)/.exec(one)?.[1])).toEqual(['10', '10', '4']);
  expect(sights.map(span)).toEqual([
    [14, 30],
    [4, 30],
    [0, 30],
  ]);
  expect(sights.map(reading).slice(0, 2)).toEqual([
    expect.stringContaining(': 14 to go'),
    expect.stringContaining(': 4 to go'),
  ]);
});

it('a longer branch is believed only once what was read of it has more work than what is believed', async () => {
  world = await World.start({ nodes: 2 });
  await world.mine(2);
  await world.agree();
  const eyes = await world.eyes();
  world.part();
  await world.mine(6, { on: world.a });
  const before = await eyes.look(0, 0);
  await world.mine(10, { on: world.b });
  world.a.liar.lie({ isSilent: true });
  const hashOf = ({ head }: ChainSight) => head?.hash;
  const first = await eyes.look(0, 0, undefined, 4);
  expect([hashOf(first), reading(first)]).toEqual([hashOf(before), expect.stringContaining(': 6 to go')]);
  const second = await eyes.look(0, 0, undefined, 4);
  expect([span(second), reading(second)]).toEqual([[0, 10], expect.stringContaining(': 2 to go')]);
  const third = await eyes.look(0, 0, undefined, 4);
  expect([span(third), reading(third)]).toEqual([[0, 12], undefined]);
  expect([second, third].map(({ troubles }) => troubles.map(({ kind }) => kind))).toEqual([
    ['reading', 'reorganised-deeper'],
    [],
  ]);
});

it('a heavier branch whose payloads nobody gives does not keep another one from being read', async () => {
  world = await World.start({ nodes: 2, miners: [keyPair(2), keyPair(3)] });
  await world.mine(2);
  await world.agree();
  const eyes = await world.eyes();
  await eyes.look(0, 0);
  world.part();
  await world.mine(9, { on: world.a });
  await world.mine(8, { on: world.b });
  world.a.liar.lie({ hidesPayloads: true });
  const sight = await eyes.look(0, 0, undefined, 12);
  expect(span(sight)).toEqual([0, 10]);
  expect(reading(sight)).toBeUndefined();
  expect(sight.troubles.map(({ says }) => says)).toContainEqual(
    expect.stringMatching(/^no node gives the payload of block 3 /),
  );
});
