/** Blocks that the pool found, who gets what of each, and whether there are as many as chance would give. */
import { Card } from '../../parts/card.js';
import { Older } from '../../parts/controls/older.js';
import { SaveTable } from '../../parts/controls/save-table.js';
import { Unread } from '../../parts/unread.js';
import type { Blocks as BlockList } from '../../reading/answers.js';
import { askForBlocks } from '../../reading/blocks.js';
import type { Route } from '../../route.js';
import { useAnswer } from '../../use/reading.js';
import { BlockCharts } from './block-charts.js';
import { BlockFilter, filterOf } from './block-filter.js';
import { BlockTable } from './block-table.js';
import { BlockFacts, LastBlocks } from './last-blocks.js';

/** Of the strip, and as many as luck is of. */
const LAST = 100;
const PAGE_ROWS = 25;

export function Blocks({ route }: { route: Route }) {
  const last = useAnswer<BlockList>(`/api/v1/blocks?limit=${LAST}`);
  const filter = filterOf(route);
  const isPart = filter.toString() !== '';
  const query = new URLSearchParams([['limit', String(PAGE_ROWS)], ...filter]);
  // The first page of all of them is known: asked for by itself it would be of another moment than what stands above it.
  const part = useAnswer<BlockList>(isPart ? `/api/v1/blocks?${query}` : undefined);
  const asked = isPart ? part : last;
  const { value } = asked;
  if (!isPart && value?.blocks.length === 0) return <NoBlock blocks={value} />;
  const rows = value?.blocks.slice(0, PAGE_ROWS) ?? [];
  const isCut = value !== undefined && rows.length < value.blocks.length;
  return (
    <>
      {last.value && <LastBlocks blocks={last.value} route={route} />}
      <BlockCharts route={route} />
      <Card
        id="all-blocks"
        title="All blocks"
        asked={asked}
        actions={<SaveTable name="blocks.csv" read={(ask, signal) => askForBlocks(ask, filter, signal)} />}
      >
        <BlockFilter route={route} blocks={last.value?.blocks ?? []} />
        <Unread />
        {value && rows.length === 0 && !asked.isOld && <p>No such block.</p>}
        {rows.length > 0 && <BlockTable blocks={rows} route={route} isBusy={asked.isOld} />}
        <Older route={route} label="Pages of blocks" next={isCut ? rows.at(-1)?.id : value?.next} />
      </Card>
    </>
  );
}

function NoBlock({ blocks }: { blocks: BlockList }) {
  return (
    <Card id="all-blocks" title="No block yet">
      <BlockFacts blocks={blocks} />
      <p class="note">
        Any share may be the first one: each has the same small chance, whatever came before it.
      </p>
      <Unread />
    </Card>
  );
}
