/** Columns of tables of blocks. */
import type { Block } from '../reading/answers.js';
import { BLOCK_STATES } from '../words/blocks.js';
import { count } from '../words/numbers.js';
import type { Column } from './data-table.js';
import { Age } from './figures/age.js';
import { State } from './state.js';
import { Who } from './who.js';

export const FOUND: Column<Block> = {
  title: 'Found',
  look: 'number',
  show: ({ foundAt }) => <Age at={foundAt} />,
};

/** Anonymous users are not told. */
export function finderColumn(blocks: readonly Block[]): readonly Column<Block>[] {
  return blocks.some(({ finder }) => finder !== null) ? [FINDER] : [];
}

const FINDER: Column<Block> = { title: 'Found by', show: ({ finder }) => finder && <Who {...finder} /> };

/** Chain and height. */
export function BlockName({ block: { chainId, height } }: { block: Block }) {
  return (
    <span title={`Chain ${chainId}, height ${height}`}>
      {chainId}
      <span class="none"> · </span>
      {count(height)}
    </span>
  );
}

export function BlockState({ block: { state } }: { block: Block }) {
  return <State of={state} words={BLOCK_STATES[state]} />;
}
