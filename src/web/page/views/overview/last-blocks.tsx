/** What the pool found last. */

import { Card } from '../../parts/card.js';
import { LoginLink } from '../../parts/controls/links.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import { Unread } from '../../parts/unread.js';
import type { Block, Blocks } from '../../reading/answers.js';
import type { Asked } from '../../use/reading.js';
import { BLOCK_STATES, effortWords } from '../../words/blocks.js';

export function LastBlocks({ asked }: { asked: Asked<Blocks> }) {
  const blocks = asked.value?.blocks;
  return (
    <Card id="last-blocks" title="Last blocks" asked={asked}>
      {blocks && (blocks.length === 0 ? <NoneYet /> : <Table blocks={blocks} />)}
      <Unread />
    </Card>
  );
}

function NoneYet() {
  return (
    <p>
      No block yet. Each share is a try: how long one takes on average stands above, and any share may be the
      first.
    </p>
  );
}

/** Who found one is not told to anonymous users. */
function Table({ blocks }: { blocks: readonly Block[] }) {
  const isTold = blocks.some(({ finder }) => finder !== null);
  return (
    <DataTable
      label="Table of the last blocks"
      columns={isTold ? COLUMNS : COLUMNS.filter((column) => column !== FOUND_BY)}
      rows={blocks}
      keyOf={({ id }) => id}
    />
  );
}

const FOUND_BY: Column<Block> = {
  title: 'Found by',
  look: 'name is-account',
  show: ({ finder }) => finder && <LoginLink {...finder} />,
};

const COLUMNS: readonly Column<Block>[] = [
  {
    title: 'Block',
    show: ({ height, chainId }) => (
      <>
        {height} <span class="none">of chain {chainId}</span>
      </>
    ),
  },
  { title: 'State', show: ({ state }) => <span class={`state is-${state}`}>{BLOCK_STATES[state]}</span> },
  FOUND_BY,
  {
    title: 'Effort',
    look: 'number',
    show: ({ effort }) => (effort === null ? <span class="none">–</span> : effortWords(effort)),
  },
  { title: 'Found', look: 'number', show: ({ foundAt }) => <Age at={foundAt} /> },
];
