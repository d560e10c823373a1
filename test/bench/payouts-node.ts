/** The node of the payouts benchmark, in a process of its own: twenty chains, coins for the payer, a block on all of them when told to. */
import { startDevNode } from '../../src/devnode/server.js';
import { MINER, minerOf, PAYER } from '../helpers/payouts/world.js';
import { funds } from '../helpers/processes/commands.js';
import { keyPair } from '../helpers/processes/key-pair.js';
import type { Calls } from './peer.js';

const ANY_PORT = { host: '127.0.0.1', port: 0 };

export async function payoutsNode(): Promise<Calls> {
  const node = await startDevNode({
    ...{ listen: ANY_PORT, genesisDifficulty: 4, blockDelayMs: 0.001, payloadRefreshMs: 1, graph: 'twenty' },
    initialBalances: [funds(PAYER, '1000000'), funds(keyPair(3), '1')],
    miners: [minerOf(MINER)],
  });
  return {
    url: () => node.url,
    mine: async () => void (await node.orders.mine({})),
  };
}
