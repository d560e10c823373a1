/** Where work comes from: what each node is worth now, how fresh its work is, whether nodes agree about forks; and who hands it out. */
import type { Node, Summary } from '../../reading/answers.js';
import { useSeen } from '../../use/reading.js';
import { ChainTable } from './chain-table.js';
import { ForkWarning } from './fork-warning.js';
import { FreshFigures } from './fresh-figures.js';
import { NodeCard } from './node-card.js';

export function Nodes() {
  const { summary } = useSeen();
  if (!summary) return <p class="quiet">Loading …</p>;
  return (
    <>
      <ForkWarning nodes={summary.nodes} />
      <FreshFigures summary={summary} />
      <NodeCards nodes={summary.nodes} startedAt={summary.startedAt} />
      <ChainTable works={summary.works} />
    </>
  );
}

function NodeCards({ nodes, startedAt }: { nodes: readonly Node[] } & Pick<Summary, 'startedAt'>) {
  if (nodes.length === 0)
    return (
      <p>
        No node is set. A node gives the work that rigs do and takes the blocks that they find: name one or
        more, the preferred one first, with <code>--node-urls</code> or in <code>node.urls</code>.
      </p>
    );
  return (
    <div class="cards">
      {nodes.map((node) => (
        <NodeCard key={`${node.bridge} ${node.url}`} node={node} startedAt={startedAt} />
      ))}
    </div>
  );
}
