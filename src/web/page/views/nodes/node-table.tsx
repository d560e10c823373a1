/** A row a node. */
import { Card } from '../../parts/card.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Host } from '../../parts/host.js';
import { NONE } from '../../parts/none.js';
import { State } from '../../parts/state.js';
import type { Node, Summary } from '../../reading/answers.js';
import { useNow, useSinceHeard } from '../../use/reading.js';
import { count, counted } from '../../words/numbers.js';
import { endedSentence } from '../../words/sentences.js';
import { ago, since } from '../../words/times.js';

export function NodeTable({ summary }: { summary: Summary }) {
  const { nodes, bridges, startedAt } = summary;
  const best = Math.max(0, ...nodes.map(({ cutHeight }) => cutHeight ?? 0));
  const isVoted = nodes.some(({ forks }) => forks && (forks.mostVotes > 0 || forks.isNear));
  const columns: readonly Column<Node>[] = [
    { title: 'Node', show: ({ url }) => <Host url={url} /> },
    { title: 'State', show: ({ state }) => <State of={state} /> },
    {
      title: 'Role',
      show: ({ isActive, state }) => (isActive ? 'in use' : state === 'healthy' ? 'standby' : null),
    },
    {
      title: 'Height',
      look: 'number',
      show: ({ cutHeight }) => <Height height={cutHeight} best={best} />,
    },
    { title: 'Chains', look: 'number', show: ({ chains }) => count(chains) },
    { title: 'Heard', look: 'number', show: (node) => <Heard node={node} /> },
    {
      title: 'Requests/min',
      look: 'number',
      show: (node) => <Requests node={node} startedAt={startedAt} />,
    },
  ];
  const votes: Column<Node> = { title: 'Fork votes', show: ({ forks }) => forks && <Votes forks={forks} /> };
  const bridge: Column<Node> = {
    title: 'Bridge',
    look: 'number',
    show: (node) => node.bridge ?? summary.instance,
  };
  return (
    <Card id="nodes" title="Upstream">
      {nodes.length === 0 ? (
        <p>
          No node is set. A node gives the work that rigs do and takes the blocks that they find: name one or
          more, the preferred one first, with <code>--node-urls</code> or in <code>node.urls</code>.
        </p>
      ) : (
        <DataTable
          label="Table of nodes"
          columns={[...columns, ...(isVoted ? [votes] : []), ...(bridges.length > 1 ? [bridge] : [])]}
          rows={nodes}
          keyOf={({ url, bridge }) => `${bridge} ${url}`}
          below={({ state, reason }) =>
            state !== 'healthy' && reason !== '' && <p class="note long">{endedSentence(reason)}</p>
          }
        />
      )}
    </Card>
  );
}

function Height({ height, best }: { height: number | null; best: number }) {
  if (height === null) return NONE;
  return (
    <>
      <span title="of all chains together">{count(height)}</span>
      {height < best && <span class="aside line">{count(best - height)} behind</span>}
    </>
  );
}

/** It ticks on while no news come. */
function Heard({ node: { silentMs } }: { node: Node }) {
  const sinceHeardMs = useSinceHeard();
  return silentMs === null ? NONE : <span>{ago(silentMs + sinceHeardMs)}</span>;
}

const MINUTE_MS = 60_000;

/** On average since the start. When another bridge has started is not known here. */
function Requests({ node: { bridge, requests }, startedAt }: { node: Node } & Pick<Summary, 'startedAt'>) {
  const nowMs = useNow();
  const startMs = Date.parse(startedAt);
  const all = counted(requests, 'request');
  if (bridge !== null) return <span title={`${all} since its start`}>{NONE}</span>;
  const minutes = Math.max(1, (nowMs - startMs) / MINUTE_MS);
  return <span title={`${all} since ${since(startMs, nowMs)}`}>{count(requests / minutes)}</span>;
}

function Votes({ forks }: { forks: NonNullable<Node['forks']> }) {
  const { number, leastVotes, mostVotes, isFor, isNear } = forks;
  const votes = [...new Set([leastVotes, mostVotes])].map(count).join(' to ');
  return (
    <span title={`Votes for fork ${number + 1} on each chain`}>
      {votes}
      {isFor !== null && (isFor ? ' · for' : ' · against')}
      {isNear && ' · comes with the next epoch'}
    </span>
  );
}
