import { useState } from 'preact/hooks';
import { LoginLink } from '../../parts/controls/links.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import type { Block } from '../../reading/answers.js';
import { BLOCK_STATES, effortWords } from '../../words/blocks.js';
import { shortAmount } from '../../words/money.js';
import { count } from '../../words/numbers.js';
import { BlockDetail } from './block-detail.js';

export function BlockTable({ blocks, isBusy }: { blocks: readonly Block[]; isBusy: boolean }) {
  const [open, setOpen] = useState('');
  const columns: readonly Column<Block>[] = [
    {
      title: 'Height',
      show: ({ id, height, chainId }) => (
        <button
          type="button"
          class="opener"
          aria-expanded={id === open}
          aria-label={`Block ${count(height)} of chain ${chainId}: more of it`}
          onClick={() => setOpen(id === open ? '' : id)}
        >
          {count(height)}
        </button>
      ),
    },
    { title: 'Chain', look: 'number', show: ({ chainId }) => chainId },
    {
      title: 'State',
      show: ({ state, depth }) => (
        <>
          <span class={`state is-${state}`}>{BLOCK_STATES[state]}</span>{' '}
          {state === 'pending' && depth > 0 && <span class="aside">{count(depth)} deep</span>}
        </>
      ),
    },
    {
      title: 'Reward',
      look: 'number',
      show: ({ reward }) => (reward === null ? '–' : shortAmount(reward)),
    },
    {
      title: 'Effort',
      look: 'number is-extra',
      show: ({ effort }) => (effort === null ? '–' : effortWords(effort)),
    },
    {
      title: 'Finder',
      look: 'name is-extra',
      show: ({ finder }) => finder && <LoginLink {...finder} />,
    },
    { title: 'Found', look: 'number', show: ({ foundAt }) => <Age at={foundAt} /> },
  ];
  return (
    <div class="card">
      <DataTable
        label="Table of blocks"
        columns={columns}
        rows={blocks}
        keyOf={({ id }) => id}
        isBusy={isBusy}
        below={(block) => block.id === open && <BlockDetail block={block} />}
      />
    </div>
  );
}
