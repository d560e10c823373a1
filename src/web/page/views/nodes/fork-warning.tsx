/** Nodes that vote differently: whoever switches between them votes now so and now so. */
import type { Node } from '../../reading/answers.js';
import { count } from '../../words/numbers.js';

export function ForkWarning({ nodes }: { nodes: readonly Node[] }) {
  const differing = nodes.filter(({ forks }) => forks?.agrees === false || forks?.isPassed);
  return (
    <div class="troubles" role="status">
      {differing.length > 0 && (
        <section class="trouble is-warning">
          <h2>Nodes do not vote alike</h2>
          {differing.map(({ url, forks }) => (
            <p key={url}>
              {url}: fork number {forks?.number}, {count(forks?.mostVotes ?? 0)} votes at most
              {forks?.isPassed
                ? '; another node is on a higher one, and this may be too old to follow.'
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
