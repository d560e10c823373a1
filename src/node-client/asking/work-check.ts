/** Whether a work is one of the network that the node said it serves, as far as the node has said anything of it. */

import type { NodeInfo } from '../../chain/models.js';
import type { Adjacent } from '../../core/work/header.js';
import type { Work } from '../../core/work/work.js';
import type { NodeAddress } from './address.js';

/** The work contradicts `/info`: one of the two is wrong, or the node has become another since it was asked. */
export class WorkMisfitError extends Error {
  override readonly name = 'WorkMisfitError';
  readonly code = 'work-misfit';
}

/** @param code by which works of the network name it, as far as it is known. Throws {@link WorkMisfitError}. */
export function checkFits({ chainId, fields }: Work, { network, info }: NodeAddress, code?: number): void {
  if (code !== undefined && fields.versionCode !== code) {
    throw new WorkMisfitError(
      `work for chain ${chainId} has the version code ${fields.versionCode}, and ${network} has ${code}`,
    );
  }
  if (info) checkChain(chainId, fields, info);
}

function checkChain(chainId: number, { adjacents, height }: Work['fields'], info: NodeInfo): void {
  const { nodeChains, nodeVersion } = info;
  // A block has the neighbours of the graph that its parent is on.
  const graph = graphAt(info, height - 1);
  const neighbours = graph?.find(([id]) => id === chainId)?.[1];
  const isKnown = graph ? neighbours !== undefined : (nodeChains?.includes(String(chainId)) ?? true);
  if (!isKnown) {
    const chains = graph?.length ?? nodeChains?.length;
    throw new WorkMisfitError(
      `work for chain ${chainId}, and ${nodeVersion} has ${chains} chains at height ${height} by the /info of the node`,
    );
  }
  const isNeighbour = ({ chainId: id }: Adjacent): boolean => neighbours?.includes(id) === true;
  if (!neighbours || (adjacents.length === neighbours.length && adjacents.every(isNeighbour))) return;
  const wanted = neighbours.toSorted((a, b) => a - b).join(', ');
  const given = adjacents.map((adjacent) => adjacent.chainId).join(', ');
  throw new WorkMisfitError(
    `work for chain ${chainId} names the adjacent chains ${given}, and by the /info of the node they are ${wanted}`,
  );
}

/** The history may be in any order. */
function graphAt({ nodeGraphHistory = [] }: NodeInfo, height: number) {
  let latest: (typeof nodeGraphHistory)[number] | undefined;
  for (const change of nodeGraphHistory)
    if (change[0] <= height && (!latest || change[0] > latest[0])) latest = change;
  return latest?.[1];
}
