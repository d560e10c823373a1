/** Blocks that the pool has found, who gets what of each, and whether their number is what chance would give. */
import { Choice } from '../../parts/controls/choice.js';
import { Older } from '../../parts/controls/older.js';
import { Unread } from '../../parts/unread.js';
import { Waiting } from '../../parts/waiting.js';
import type { Block, Blocks as BlockList } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { useAsked } from '../../use/reading.js';
import { BLOCK_STATES } from '../../words/blocks.js';
import { BlockTable } from './block-table.js';
import { LuckFigures } from './luck-figures.js';

const EVERY_MS = 5_000;
const PAGE_ROWS = '25';
const STATES = Object.keys(BLOCK_STATES) as Block['state'][];

const OPTIONS = [
  ['', 'all that a node may have taken'],
  ...STATES.map((state) => [state, BLOCK_STATES[state]] as const),
] as const;

export function Blocks({ route }: { route: Route }) {
  const state = STATES.find((each) => each === route.params.get('state'));
  const query = new URLSearchParams({ limit: PAGE_ROWS });
  if (state) query.set('state', state);
  const before = route.params.get('before') ?? '';
  if (before !== '') query.set('before', before);
  const asked = useAsked<BlockList>(`${query}`, EVERY_MS, (ask, signal) =>
    ask.json(`/api/v1/blocks?${query}`, signal),
  );
  const { value, isOld } = asked;
  const isFiltered = state !== undefined || before !== '';
  return (
    <>
      <LuckFigures />
      <div class="tools">
        <Choice route={route} name="state" label="Show" options={OPTIONS} />
      </div>
      <Unread />
      <Waiting {...asked} />
      {value && value.blocks.length === 0 && !isOld && <NoBlock isFiltered={isFiltered} />}
      {value && value.blocks.length > 0 && <BlockTable blocks={value.blocks} isBusy={isOld} />}
      <Older route={route} label="Pages of blocks" next={value?.next} />
    </>
  );
}

function NoBlock({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <p>There is none of these.</p>;
  return (
    <p>
      No block yet. Any share may be one: each has the same small chance, whatever came before it. How long a
      block takes on average stands above, once there is a hash rate. The first one shows up here as soon as a
      node has it, and pays once it is confirmed.
    </p>
  );
}
