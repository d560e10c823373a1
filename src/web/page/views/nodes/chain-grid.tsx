/** How old the newest work of each chain is, at a glance; and in a table. */
import { Card } from '../../parts/card.js';
import { DataTable } from '../../parts/data-table.js';
import type { Summary, Work } from '../../reading/answers.js';
import { useSinceHeard } from '../../use/reading.js';
import { count, counted, hashes } from '../../words/numbers.js';
import { duration } from '../../words/times.js';

/** A chain has a block every 30 s on average; one that has none for five minutes is rare by chance alone. */
const LOOKS = [
  { name: 'fresh', untilMs: 30_000, words: 'up to 30 s' },
  { name: 'usual', untilMs: 120_000, words: 'up to 2 min' },
  { name: 'aged', untilMs: 300_000, words: 'up to 5 min' },
  { name: 'old', untilMs: Number.POSITIVE_INFINITY, words: 'older' },
] as const;

export function ChainGrid({ summary: { works, following } }: { summary: Summary }) {
  const sorted = [...works].sort((a, b) => a.chainId - b.chainId);
  const chains = Math.max(following?.chains ?? 0, (sorted.at(-1)?.chainId ?? -1) + 1);
  return (
    <Card
      id="chains"
      title="Chains"
      actions={<span class="aside">{`${count(works.length)} of ${counted(chains, 'chain')} with work`}</span>}
    >
      {works.length === 0 && <p>No node has given work yet.</p>}
      {chains > 0 && <Cells chains={chains} works={sorted} />}
      {works.length > 0 && <Table works={sorted} />}
    </Card>
  );
}

/** Ears have the table. */
function Cells({ chains, works }: { chains: number; works: readonly Work[] }) {
  return (
    <div aria-hidden="true">
      <ol class="chain-grid">
        {Array.from({ length: chains }, (_, chainId) => (
          <Cell key={chainId} chainId={chainId} work={works.find((work) => work.chainId === chainId)} />
        ))}
      </ol>
      <p class="note chain-key">
        Age of the work:
        {LOOKS.map(({ name, words }) => (
          <span key={name} class={`chain-sign is-${name}`}>
            {words}
          </span>
        ))}
        <span class="chain-sign">none</span>
      </p>
    </div>
  );
}

function Cell({ chainId, work }: { chainId: number; work: Work | undefined }) {
  const sinceHeardMs = useSinceHeard();
  if (!work)
    return (
      <li class="chain-cell" title={`Chain ${chainId}: no work now`}>
        <b>{chainId}</b>
        <span>–</span>
      </li>
    );
  const ageMs = work.ageMs + sinceHeardMs;
  const { name } = LOOKS.find(({ untilMs }) => ageMs < untilMs) ?? LOOKS[3];
  const title = `Chain ${chainId}, height ${count(work.height)}: work since ${duration(ageMs)}`;
  return (
    <li class={`chain-cell is-${name}`} title={title}>
      <b>{chainId}</b>
      <span>{duration(ageMs).split(' ')[0]}</span>
    </li>
  );
}

function Table({ works }: { works: readonly Work[] }) {
  return (
    <details class="chart-table">
      <summary>Table of chains</summary>
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
          { title: 'Age of the work', look: 'number', show: ({ ageMs }) => <WorkAge ageMs={ageMs} /> },
        ]}
        rows={works}
        keyOf={({ chainId }) => chainId}
      />
    </details>
  );
}

function WorkAge({ ageMs }: Pick<Work, 'ageMs'>) {
  return <>{duration(ageMs + useSinceHeard())}</>;
}
