/** What the pool found last. */
import { BlockName, BlockState, FOUND, finderColumn } from '../../parts/block-columns.js';
import { Card } from '../../parts/card.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Unread } from '../../parts/unread.js';
import type { Block, Blocks } from '../../reading/answers.js';
import { hashOf } from '../../route.js';
import type { Asked } from '../../use/reading.js';
import { effortWords } from '../../words/blocks.js';

export function LastBlocks({ asked }: { asked: Asked<Blocks> }) {
  const blocks = asked.value?.blocks;
  return (
    <Card id="last-blocks" title="Last blocks" asked={asked} actions={<a href={hashOf('blocks')}>All</a>}>
      {blocks?.length === 0 && <p>No block yet: any share may be the first.</p>}
      {blocks && blocks.length > 0 && <Table blocks={blocks} />}
      <Unread />
    </Card>
  );
}

function Table({ blocks }: { blocks: readonly Block[] }) {
  const efforts = blocks.some(({ effort }) => effort !== null) ? [EFFORT] : [];
  return (
    <DataTable
      label="Table of the last blocks"
      columns={[NAME, STATE, ...finderColumn(blocks), ...efforts, FOUND]}
      rows={blocks}
      keyOf={({ id }) => id}
    />
  );
}

const NAME: Column<Block> = { title: 'Block', show: (block) => <BlockName block={block} /> };
const STATE: Column<Block> = { title: 'State', show: (block) => <BlockState block={block} /> };

const EFFORT: Column<Block> = {
  title: 'Effort',
  look: 'number',
  show: ({ effort }) => (effort === null ? null : effortWords(effort)),
};
