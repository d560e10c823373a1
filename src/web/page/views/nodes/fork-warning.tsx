/** Nodes that vote differently: whoever switches between them votes now so and now so. */
import { Host } from '../../parts/host.js';
import type { Node } from '../../reading/answers.js';
import { ofBridge } from '../../words/bridges.js';
import { count } from '../../words/numbers.js';

export function ForkWarning({ nodes }: { nodes: readonly Node[] }) {
  const votes = new Set(nodes.flatMap(({ forks }) => forks?.isFor ?? []));
  const differing = nodes.filter(
    ({ forks }) =>
      forks &&
      (forks.agrees === false ||
        forks.isPassed ||
        (forks.isFor === false && (forks.isNear || votes.size > 1))),
  );
  return (
    <div class="troubles" role="status">
      {differing.length > 0 && (
        <section class="trouble is-warning">
          <h2>Nodes do not vote alike</h2>
          {differing.map(({ url, bridge, forks }) => (
            <p key={`${bridge} ${url}`}>
              <b>
                <Host url={url} />
              </b>
              {ofBridge(bridge)}: fork number {forks?.number}, {count(forks?.mostVotes ?? 0)} votes at most
              {forks?.isPassed
                ? '; another node is on a higher one, and this may be too old to follow.'
                : forks?.isFor === false && forks.isNear
                  ? '; it does not vote for the fork that is about to come.'
                  : '.'}
            </p>
          ))}
          <p>
            For the same block they write another fork number or other votes. The software of a node and its
            settings decide: run one version with the same settings on all of them, or name only those whose
            vote you want.
          </p>
        </section>
      )}
    </div>
  );
}
