import { Card } from '../../parts/card.js';
import { DataTable } from '../../parts/data-table.js';
import type { Work } from '../../reading/answers.js';
import { useSinceHeard } from '../../use/reading.js';
import { count, hashes } from '../../words/numbers.js';
import { duration } from '../../words/times.js';

/** The newest work of each chain that is mined. */
export function ChainTable({ works }: { works: readonly Work[] }) {
  return (
    <Card id="chains" title="Chains that are mined">
      {works.length === 0 ? (
        <p>None: no node has given work yet.</p>
      ) : (
        <DataTable
          label="Table of chains"
          columns={[
            { title: 'Chain', show: ({ chainId }) => chainId },
            { title: 'Height', look: 'number', show: ({ height }) => count(height) },
            {
              title: 'Block difficulty',
              look: 'number',
              show: ({ blockDifficulty }) => hashes(blockDifficulty),
            },
            { title: 'Work since', look: 'number', show: ({ ageMs }) => <WorkAge ageMs={ageMs} /> },
          ]}
          rows={[...works].sort((a, b) => a.chainId - b.chainId)}
          keyOf={({ chainId }) => chainId}
        />
      )}
    </Card>
  );
}

function WorkAge({ ageMs }: Pick<Work, 'ageMs'>) {
  return <>{duration(ageMs + useSinceHeard())}</>;
}
