/** Where the work comes from, and how old it is. */

import { Card } from '../../parts/card.js';
import { Since } from '../../parts/figures/age.js';
import type { Node, Summary } from '../../reading/answers.js';
import { useSeen, useSinceHeard } from '../../use/reading.js';
import { counted, milliseconds, percent } from '../../words/numbers.js';
import { duration } from '../../words/times.js';

export function NodesCard() {
  const { summary } = useSeen();
  return (
    <Card id="nodes" title="Nodes">
      {summary?.nodes.length === 0 && <p>None is set.</p>}
      <ul class="nodes">
        {summary?.nodes.map((node) => (
          <NodeLine key={`${node.bridge} ${node.url}`} node={node} />
        ))}
      </ul>
      {summary && summary.works.length > 0 && <Works works={summary.works} />}
      {summary && summary.freshness.jobs > 0 && <Freshness summary={summary} />}
    </Card>
  );
}

function NodeLine({ node: { url, bridge, state, network, isActive, chains, reason } }: { node: Node }) {
  const about = [
    network,
    isActive && 'in use',
    chains > 0 && `${counted(chains, 'chain')} with work`,
    bridge !== null && `bridge ${bridge}`,
    state !== 'healthy' && reason,
  ];
  return (
    <li>
      <span class={`state is-${state}`}>{state}</span> <span class="name">{url}</span>
      <span class="aside">{about.filter(Boolean).join(', ')}</span>
    </li>
  );
}

/** Work that comes late is work for nothing. */
function Freshness({ summary: { freshness, startedAt } }: { summary: Summary }) {
  const { delayMs, staleHashes } = freshness;
  return (
    <p class="note">
      A fresh job is at the last rig within {milliseconds(delayMs.p50)}, 99 % of them within{' '}
      {milliseconds(delayMs.p99)}; {percent(staleHashes, 1)} of the work <Since at={startedAt} /> was stale.
    </p>
  );
}

/** The age of the newest work tells whether the node still sends some. */
function Works({ works }: { works: Summary['works'] }) {
  const sinceHeardMs = useSinceHeard();
  const heights = works.map(({ height }) => height);
  const [lowest, highest] = [Math.min(...heights), Math.max(...heights)];
  const youngest = Math.min(...works.map(({ ageMs }) => ageMs));
  return (
    <p class="note">
      Work at {lowest === highest ? `height ${lowest}` : `heights ${lowest} to ${highest}`}, the newest{' '}
      {duration(youngest + sinceHeardMs)} old.
    </p>
  );
}
