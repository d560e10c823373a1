import { DataTable } from '../../parts/data-table.js';
import type { Work } from '../../reading/answers.js';
import { useNow, useSeen } from '../../use/reading.js';
import { count, withUnit } from '../../words/numbers.js';
import { duration } from '../../words/times.js';

/** The newest work of each chain that is mined. */
export function ChainTable({ works }: { works: readonly Work[] }) {
  return (
    <section class="card" aria-labelledby="chains">
      <h2 id="chains">Chains that are mined</h2>
      {works.length === 0 ? (
        <p>None: no node has given work yet.</p>
      ) : (
        <DataTable
          label="Table of chains"
          columns={[
            { title: 'Chain', show: ({ chainId }) => chainId },
            { title: 'Height', isNumber: true, show: ({ height }) => count(height) },
            {
              title: 'A block takes',
              isNumber: true,
              show: ({ blockDifficulty }) => withUnit(Number(blockDifficulty), 'hashes'),
            },
            { title: 'Work since', isNumber: true, show: ({ ageMs }) => <WorkAge ageMs={ageMs} /> },
          ]}
          rows={[...works].sort((a, b) => a.chainId - b.chainId)}
          keyOf={({ chainId }) => chainId}
        />
      )}
    </section>
  );
}

function WorkAge({ ageMs }: Pick<Work, 'ageMs'>) {
  const { heardAtMs } = useSeen();
  const nowMs = useNow();
  return <>{duration(ageMs + Math.max(0, nowMs - heardAtMs))}</>;
}
