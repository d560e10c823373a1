/** The node of the benchmark of payouts, a process of its own: twenty chains, and the payer has coins on each. */
import { startDevNode } from '../../../src/devnode/dev-node.js';
import { EASY } from '../../devnode/helpers.js';
import { PAYER } from '../../helpers/payouts/payer-terms.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import type { Calls } from '../peer.js';

const MINER = keyPair(2);

export async function payoutsNode(): Promise<Calls> {
  const node = await startDevNode({
    ...{ ...EASY, graph: 'twenty', payloadRefresh: 1 },
    accounts: [`${PAYER.account}=100000`],
    miners: [MINER.key],
  });
  return {
    url: () => node.url,
    /** So many blocks on every chain. */
    mine: async (count: number) => {
      for (let i = 0; i < count; i++) await node.orders.mine();
    },
  };
}
