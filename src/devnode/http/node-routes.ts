/** What the node says about itself: health-check and info, at the base address and at the host root. */
import type { FastifyInstance } from 'fastify';
import { chainsAt, genesisHeightOf, type Network } from '../networks.js';
import type { NodeContext } from './context.js';

export function nodeRoutes(app: FastifyInstance, context: NodeContext): void {
  const healthy = `Health check OK.${context.settings.profile === 'chainweb' ? '\n' : ''}`;
  app.get('/health-check', (_request, reply) => reply.type('text/plain').send(healthy));
  app.get('/info', (_request, reply) => reply.type('application/json').send(info(context)));
}

function info({ chains, settings }: NodeContext): object {
  const { network, cut } = chains;
  const ids = chainsAt(network, cut.leastHeight);
  return {
    nodeNumberOfChains: ids.length,
    nodeApiVersion: settings.apiVersion,
    nodeChains: ids.map(String),
    nodeVersion: network.name,
    nodeGraphHistory: graphHistory(network),
    nodePackageVersion: settings.nodeVersion,
    nodeLatestBehaviorHeight: cut.leastHeight,
    nodeGenesisHeights: ids.map((id) => [String(id), genesisHeightOf(network, id)]),
    nodeHistoricalChains: network.graphs.map(({ height, graph }) => [height, graph.chains.map(String)]),
    nodeBlockDelay: Number(network.difficulty.blockDelayMicros),
  };
}

/** Newest first: pairs of the first height and the graph as adjacency list. */
function graphHistory(network: Network): unknown[] {
  return network.graphs
    .map(({ height, graph }) => [height, graph.chains.map((id) => [id, graph.adjacentsOf(id)])])
    .reverse();
}
