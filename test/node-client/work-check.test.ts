/** Works against what the node says of its network. */
import { describe, expect, it } from 'vitest';
import type { Work } from '../../src/core/work/work.js';
import type { NodeAddress } from '../../src/node-client/asking/address.js';
import { checkFits } from '../../src/node-client/asking/work-check.js';
import { makeWork } from '../helpers/rigs/works.js';

/** Chain 3 has the neighbours that `makeWork` gives it, until the graph changes at height 100. */
const ADDRESS: NodeAddress = {
  baseUrl: 'http://node/chainweb/0.0/mainnet01',
  network: 'mainnet01',
  info: {
    nodeVersion: 'mainnet01',
    nodeApiVersion: '0.0',
    nodeChains: ['3', '1', '2', '5'],
    nodeGraphHistory: [
      [100, [[3, [4, 6, 8]]]],
      [
        0,
        [
          [3, [5, 1, 2]],
          [1, [3]],
        ],
      ],
    ],
  },
};
const NO_GRAPH: NodeAddress = {
  ...ADDRESS,
  info: { nodeVersion: 'mainnet01', nodeApiVersion: '0.0', nodeChains: ['1', '2', '3'] },
};
const MAINNET = { versionCode: 5 };

describe('X7: a work', () => {
  it('fits a node of its network, whatever that leaves unsaid', () => {
    const work = makeWork(MAINNET);
    const { info: _, ...unsaid } = ADDRESS;
    for (const address of [ADDRESS, NO_GRAPH, unsaid]) expect(() => checkFits(work, address)).not.toThrow();
    // The first block at the height of the change is on top of the former graph.
    expect(() => checkFits(makeWork({ ...MAINNET, height: 100 }), ADDRESS)).not.toThrow();
  });

  it.each<[string, Work, NodeAddress, string]>([
    [
      'a chain that the graph lacks',
      makeWork({ ...MAINNET, chainId: 4000 }),
      ADDRESS,
      'work for chain 4000, and mainnet01 has 2 chains at height 7 by the /info of the node',
    ],
    [
      'a chain that is not listed',
      makeWork({ ...MAINNET, chainId: 9 }),
      NO_GRAPH,
      'work for chain 9, and mainnet01 has 3 chains',
    ],
    [
      'other neighbours',
      makeWork({ ...MAINNET, height: 101 }),
      ADDRESS,
      'names the adjacent chains 1, 2, 5, and by the /info of the node they are 4, 6, 8',
    ],
  ])('of %s is refused', (_, work, address, words) => {
    expect(() => checkFits(work, address)).toThrow(words);
  });

  it('of another network than the works before is refused, whatever the network is called', () => {
    const made = { ...NO_GRAPH, network: 'made-up' };
    expect(() => checkFits(makeWork({ versionCode: 4711 }), made)).not.toThrow();
    expect(() => checkFits(makeWork({ versionCode: 4711 }), made, 4711)).not.toThrow();
    expect(() => checkFits(makeWork({ versionCode: 7 }), made, 4711)).toThrow(
      'version code 7, and made-up has 4711',
    );
  });
});
