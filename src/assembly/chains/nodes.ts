/** The nodes, as one source of work and one sink of solutions. */

import type { WorkSink } from '../../bridge/ports.js';
import type { SessionCounts } from '../../bridge/session-counts.js';
import { isKnownPublic } from '../../core/work/development.js';
import type { Miner } from '../../node-client/client.js';
import { Upstream } from '../../upstream/upstream.js';
import type { Site } from '../site.js';
import { nodeConnectionFrom } from './node-connection.js';

/** Blocks of a chain in which nodes vote on the next fork, on all networks that are known. */
const FORK_EPOCH = 14_400;

/** Nobody is asked for work before its `start`. */
export function openNodes(
  { config, log, open, events }: Site,
  miner: Miner,
  sink: WorkSink,
  sessionCounts: SessionCounts,
): Upstream {
  const upstream = new Upstream({
    urls: config['node.urls'],
    network: config['node.network'],
    miner,
    connect: nodeConnectionFrom(config),
    sink,
    events,
    log,
    random: Math.random,
    forkEpoch: FORK_EPOCH,
    deadAfterMs: config['stratum.release'],
    isKnownPublic: (network) => isKnownPublic(network, config['node.development']),
    sessionsOn: (chainId) => sessionCounts.on(chainId),
  });
  open.add('node connections', () => upstream.close());
  return upstream;
}
