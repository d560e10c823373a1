import { Amount } from '../../parts/amount.js';
import { BlockName, BlockState, FOUND, finderColumn } from '../../parts/block-columns.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Host } from '../../parts/host.js';
import type { Block } from '../../reading/answers.js';
import { hashOf, type Route } from '../../route.js';
import { usePool } from '../../use/pool.js';
import { useNow } from '../../use/reading.js';
import { replaceHash } from '../../use/route.js';
import { effortWords, onTop } from '../../words/blocks.js';
import { count } from '../../words/numbers.js';
import { dayWords } from '../../words/times.js';
import { BlockDetail } from './block-detail.js';
import { Gauge } from './gauge.js';

interface BlockTableProps {
  readonly blocks: readonly Block[];
  readonly route: Route;
  readonly isBusy: boolean;
}

/** The row that is open stands in the address. */
export function BlockTable({ blocks, route: { view, params }, isBusy }: BlockTableProps) {
  const nowMs = useNow();
  const open = params.get('open') ?? '';
  const toggle = (id: string): void =>
    replaceHash(hashOf(view, { ...Object.fromEntries(params), open: id === open ? '' : id }));
  const name: Column<Block> = {
    title: 'Block',
    show: (block) => (
      <button
        type="button"
        class="discloser"
        aria-expanded={block.id === open}
        onClick={() => toggle(block.id)}
      >
        <span class="unseen">Block </span>
        <BlockName block={block} />
      </button>
    ),
  };
  const hasNodes = new Set(blocks.map(({ node }) => node)).size > 1;
  return (
    <DataTable
      label="Table of blocks"
      columns={[name, STATE, EFFORT, REWARD, ...finderColumn(blocks), ...(hasNodes ? [NODE] : []), FOUND]}
      rows={blocks}
      keyOf={({ id }) => id}
      isBusy={isBusy}
      groupOf={({ foundAt }) => dayWords(Date.parse(foundAt), nowMs)}
      below={(block) => block.id === open && <BlockDetail block={block} />}
    />
  );
}

const STATE: Column<Block> = {
  title: 'State',
  show: (block) => (
    <span class="beside-gauge">
      <BlockState block={block} />
      {block.state === 'pending' && <Progress block={block} />}
    </span>
  ),
};

/** How many blocks of its chain stand on it, of those that confirm it. */
function Progress({ block }: { block: Block }) {
  const { terms } = usePool();
  if (!terms) return <span class="aside">{count(onTop(block))} on top</span>;
  const { depth } = terms;
  return (
    <span class="aside beside-gauge" title={`${depth} blocks on top of it confirm it`}>
      <Gauge to={(100 * Math.min(depth, onTop(block))) / depth} look="warning" />
      {count(onTop(block))} of {count(depth)}
    </span>
  );
}

const EFFORT: Column<Block> = {
  title: 'Effort',
  look: 'number',
  show: ({ effort }) =>
    effort === null ? null : (
      <span class="beside-gauge">
        {effortWords(effort)}
        <Gauge from={50} to={Math.min(100, 50 * effort)} look={effort > 1 ? 'warning' : 'good'} hasMiddle />
      </span>
    ),
};

const REWARD: Column<Block> = {
  title: 'Reward',
  look: 'number',
  show: ({ reward }) => reward && <Amount of={reward} />,
};

const NODE: Column<Block> = { title: 'Node', show: ({ node }) => node && <Host url={node} /> };
