/** The first view: is all well, how much is mined, where to connect. */
import { FindAccount } from '../../parts/controls/find-account.js';
import type { Blocks } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { useAsked, useSeen } from '../../use/reading.js';
import { BridgesCard } from './bridges-card.js';
import { ConnectCard } from './connect-card.js';
import { FastestRigs } from './fastest-rigs.js';
import { Figures } from './figures.js';
import { LastBlocks } from './last-blocks.js';
import { NodesCard } from './nodes-card.js';
import { PoolChart } from './pool-chart.js';

const SHOWN_BLOCKS = 6;
const BLOCKS_EVERY_MS = 5_000;

export function Overview({ route }: { route: Route }) {
  const { isAnonymous } = useSeen();
  const asked = useAsked<Blocks>('last blocks', BLOCKS_EVERY_MS, (ask, signal) =>
    ask.json(`/api/v1/blocks?limit=${SHOWN_BLOCKS}`, signal),
  );
  const { value: blocks } = asked;
  return (
    <>
      <Figures blocks={blocks} />
      <PoolChart route={route} newest={blocks?.blocks[0]} />
      <div class="cards">
        <div class="column">
          {!isAnonymous && <FastestRigs />}
          <LastBlocks asked={asked} />
        </div>
        <div class="column">
          <FindAccount />
          {!isAnonymous && <ConnectCard />}
          {!isAnonymous && <BridgesCard />}
          {!isAnonymous && <NodesCard />}
        </div>
      </div>
    </>
  );
}
