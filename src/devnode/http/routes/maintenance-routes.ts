/** Interface 4.7: backups and their state, health, information, configuration. */
import { quoted } from '../../../chain/parameters.js';
import { genesisHeightOf, type Network } from '../../consensus/networks.js';
import type { Backups } from '../../storage/backups.js';
import { configObject } from '../config.js';
import { API_VERSION, NODE_VERSION, type NodeContext } from '../context.js';
import { RequestError } from '../errors.js';
import { refuseWebPages } from '../params.js';
import type { Asked, Handlers } from '../table.js';

export const MAINTENANCE_HANDLERS: Handlers<
  'startBackup' | 'backupState' | 'healthCheck' | 'info' | 'config'
> = {
  startBackup,
  backupState: (context, { path }) => {
    const id = path['backupId'] ?? '';
    const state = backupsOf(context).state(id);
    if (state === undefined) throw new RequestError(404, `there is no backup job ${quoted(id)}`);
    return state;
  },
  healthCheck: ({ dialect }) => dialect.healthText,
  info,
  config: configObject,
};

function startBackup(context: NodeContext, { request, reply, query }: Asked): string {
  // Anybody's page in a browser could fill the disk; a page that goes by a strange name names its origin, too.
  refuseWebPages(request);
  const backup = backupsOf(context).start(query['backupPact'] !== undefined);
  if (backup.outcome === 'full') throw new RequestError(507, backup.reason);
  reply.code(context.dialect.backupStatus);
  return backup.id;
}

/** These are asked for only where there are some. */
function backupsOf({ backups }: NodeContext): Backups {
  if (backups) return backups;
  throw new RequestError(404, 'backups are not enabled');
}

function info({ chains }: NodeContext): object {
  const { network, cut } = chains;
  const ids = cut.chainIds;
  return {
    nodeNumberOfChains: ids.length,
    nodeApiVersion: API_VERSION,
    nodeChains: ids.map(String),
    nodeVersion: network.name,
    nodeGraphHistory: graphHistory(network),
    nodePackageVersion: NODE_VERSION,
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
