/** Orders in any sequence, over a change of the graph: none fails, no block breaks a rule of time, and what is gone back to is as it was. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DevNode, startDevNode } from '../../src/devnode/dev-node.js';
import { ask, EASY } from './helpers.js';

type Step =
  | {
      readonly mine: {
        readonly chains?: readonly number[];
        readonly count: number;
        readonly withNeighbours?: boolean;
      };
    }
  | { readonly advance: number }
  | { readonly freeze: number }
  | { readonly run: true }
  | { readonly nextBlockIn: number }
  | { readonly snapshot: string }
  | { readonly revert: string };

interface Header {
  readonly hash: string;
  readonly creationTime: number;
  readonly parent: string;
  readonly adjacents: Readonly<Record<string, string>>;
}

/** All that the node has of its chains. */
async function blocksOf(node: DevNode): Promise<Map<string, Header>> {
  const accept = 'application/json;blockheader-encoding=object';
  const pages = await Promise.all(
    Object.keys(node.cut().heights).map((id) =>
      ask(`${node.url}/chain/${id}/header`, { headers: { accept } }),
    ),
  );
  const headers = pages.flatMap((page) => page.json<{ items: Header[] }>().items);
  return new Map(headers.map((header) => [header.hash, header]));
}

const seen = async (node: DevNode): Promise<unknown> => ({
  cut: node.cut().hashes,
  blocks: [...(await blocksOf(node)).keys()].sort(),
});

const count = fc.integer({ min: 1, max: 3 });
/** Taken before the first block, and never again. */
const START = 'start';
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    mine: fc.record({ chains: fc.constantFrom([0], [1], [0, 1]), count, withNeighbours: fc.boolean() }),
  }),
  { weight: 3, arbitrary: fc.record({ mine: fc.record({ count }) }) },
  fc.record({ advance: fc.nat(10_000_000) }),
  fc.record({ freeze: fc.integer({ min: 1, max: 5000 }) }),
  fc.constant({ run: true as const }),
  fc.record({ nextBlockIn: fc.integer({ min: 1, max: 10_000_000 }) }),
  fc.record({ snapshot: fc.constantFrom('a', 'b') }),
  { weight: 2, arbitrary: fc.record({ revert: fc.constantFrom(START, 'a', 'b') }) },
);

/** @param kept what was there at each snapshot, oldest first. */
async function follow(node: DevNode, each: Step, kept: Map<string, unknown>): Promise<void> {
  if ('mine' in each) await node.orders.mine(each.mine);
  else if ('advance' in each) node.orders.advance(each.advance);
  else if ('freeze' in each) node.orders.freeze(each.freeze / 1000);
  else if ('run' in each) node.orders.run();
  else if ('nextBlockIn' in each) node.orders.nextBlockAt(node.orders.clock.nowMs + each.nextBlockIn);
  else if ('snapshot' in each) {
    kept.delete(each.snapshot);
    node.orders.snapshots.take(each.snapshot);
    kept.set(each.snapshot, await seen(node));
  } else if (!kept.has(each.revert)) {
    expect(() => node.orders.snapshots.revert(each.revert)).toThrow('there is no snapshot');
  } else {
    node.orders.snapshots.revert(each.revert);
    expect(await seen(node)).toEqual(kept.get(each.revert));
    const names = [...kept.keys()];
    for (const later of names.slice(names.indexOf(each.revert) + 1)) kept.delete(later);
  }
}

describe('orders in any sequence', () => {
  it('keep times in order and below the clock, and bring back what was', async () => {
    const graphs = [
      [0, 'pair'],
      [1, 'triangle'],
    ] as const;
    const check = async (steps: readonly Step[]): Promise<void> => {
      await using node = await startDevNode({ proofOfWork: false, graphs });
      const kept = new Map<string, unknown>();
      for (const each of [{ snapshot: START }, ...steps]) await follow(node, each, kept);
      const blocks = await blocksOf(node);
      for (const { creationTime, parent, adjacents } of blocks.values()) {
        expect(creationTime / 1000).toBeLessThanOrEqual(node.orders.clock.nowMs);
        const above = [parent, ...Object.values(adjacents)].map(
          (hash) => blocks.get(hash)?.creationTime ?? 0,
        );
        expect(creationTime).toBeGreaterThan(Math.max(...above));
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), check), {
      numRuns: 60,
      seed: 19,
    });
  });

  it('to mine are given up when nobody waits for them, or when the node closes', async () => {
    const node = await startDevNode({ ...EASY, genesisDifficulty: 2 ** 50 });
    const leaving = new AbortController();
    const left = expect(node.orders.mine({}, leaving.signal)).rejects.toThrow('nobody waits');
    const next = expect(node.orders.mine()).rejects.toThrow('nobody waits');
    leaving.abort();
    await left;
    expect(node.cut().height).toBe(0);
    await node.close();
    await next;
  });

  it('to mine are at most sixteen at a time', async () => {
    const node = await startDevNode({ ...EASY, genesisDifficulty: 2 ** 50 });
    const waiting = Array.from({ length: 16 }, () =>
      expect(node.orders.mine()).rejects.toThrow('nobody waits'),
    );
    await expect(node.orders.mine()).rejects.toThrow('under way');
    await node.close();
    await Promise.all(waiting);
  });
});
