/** Where the work comes from. */
import { Card } from '../../parts/card.js';
import { Host } from '../../parts/host.js';
import { State } from '../../parts/state.js';
import type { Node } from '../../reading/answers.js';
import { hashOf } from '../../route.js';
import { useSeen, useSinceHeard } from '../../use/reading.js';
import { ofBridge } from '../../words/bridges.js';
import { count } from '../../words/numbers.js';
import { ago } from '../../words/times.js';

export function NodesCard() {
  const { summary } = useSeen();
  if (!summary) return null;
  return (
    <Card id="nodes" title="Nodes" actions={<a href={hashOf('nodes')}>More</a>}>
      {summary.nodes.length === 0 && <p>None is set.</p>}
      <ul class="rows">
        {summary.nodes.map((node) => (
          <NodeRow key={`${node.bridge} ${node.url}`} node={node} />
        ))}
      </ul>
    </Card>
  );
}

function NodeRow({ node: { url, bridge, state, isActive, cutHeight, silentMs, reason } }: { node: Node }) {
  const sinceHeardMs = useSinceHeard();
  const about = [
    state === 'healthy' && (isActive ? 'in use' : 'standby'),
    cutHeight !== null && `height ${count(cutHeight)} of all chains`,
    silentMs !== null && `heard ${ago(silentMs + sinceHeardMs)}`,
    state !== 'healthy' && reason,
  ];
  return (
    <li class="node-row">
      <State of={state} />
      <span>
        <Host url={url} />
        {ofBridge(bridge)}
      </span>
      <span class="aside">{about.filter(Boolean).join(' · ')}</span>
    </li>
  );
}
