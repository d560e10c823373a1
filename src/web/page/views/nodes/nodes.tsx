/** Where work comes from: how each node is, how soon rigs hear of a block, which chains have work, and whether nodes agree about forks. */
import type { Route } from '../../route.js';
import { useSeen } from '../../use/reading.js';
import { ChainGrid } from './chain-grid.js';
import { DelayChart, DelayFigures } from './delays.js';
import { ForkWarning } from './fork-warning.js';
import { NodeTable } from './node-table.js';

export function Nodes({ route }: { route: Route }) {
  const { summary } = useSeen();
  if (!summary) return <p class="quiet">Loading …</p>;
  return (
    <>
      <ForkWarning nodes={summary.nodes} />
      <NodeTable summary={summary} />
      <DelayFigures summary={summary} />
      <DelayChart route={route} />
      <ChainGrid summary={summary} />
    </>
  );
}
