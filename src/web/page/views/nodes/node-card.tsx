import type { ComponentChildren } from 'preact';
import { Since } from '../../parts/figures/age.js';
import type { Node, Summary } from '../../reading/answers.js';
import { useSinceHeard } from '../../use/reading.js';
import { ofBridge } from '../../words/bridges.js';
import { count, counted } from '../../words/numbers.js';
import { duration } from '../../words/times.js';

export function NodeCard({ node, startedAt }: { node: Node } & Pick<Summary, 'startedAt'>) {
  const { url, bridge, state, reason, network, isActive, chains, requests, cutHeight, forks } = node;
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ['Network', network || 'not known yet'],
    ['In use', isActive ? 'rigs work for it now' : 'it stands by'],
    ['Work', chains === 0 ? 'none' : `of ${counted(chains, 'chain')}`],
    ['Height', cutHeight === null ? 'not told' : `${count(cutHeight)} blocks, all chains together`],
    ['Stream', <Stream key="stream" node={node} />],
    ['Forks', forks ? <Forks key="forks" forks={forks} /> : 'not known without work'],
    [
      'Requests',
      <span key="requests">
        {count(requests)} <Since at={startedAt} />
      </span>,
    ],
  ];
  return (
    <section class="card" aria-label={`${url}${ofBridge(bridge)}`}>
      <h2 class="long">
        {url}
        {ofBridge(bridge)}
      </h2>
      <p>
        <span class={`state is-${state}`}>{state}</span>
        {reason !== '' && <span class="long">: {reason}</span>}
      </p>
      <dl class="facts">
        {facts.map(([name, said]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{said}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** It ticks on while no news come. */
function Stream({ node: { silentMs } }: { node: Node }) {
  const sinceHeardMs = useSinceHeard();
  return <>{silentMs === null ? 'not heard yet' : `heard ${duration(silentMs + sinceHeardMs)} ago`}</>;
}

function Forks({
  forks: { number, leastVotes, mostVotes, isFor, isNear, agrees, isPassed },
}: {
  forks: NonNullable<Node['forks']>;
}) {
  const votes =
    leastVotes === mostVotes
      ? counted(mostVotes, 'vote')
      : `${count(leastVotes)} to ${counted(mostVotes, 'vote')}`;
  return (
    <>
      fork number {number}; {votes} a chain for the next
      {isNear && ', which comes with the next epoch'}
      {isFor !== null && (isFor ? '; it votes for that' : '; it does not vote for that')}
      {agrees === false && <b>: another node says otherwise</b>}
      {isPassed && <b>: another node is on a higher one</b>}
    </>
  );
}
