/** The first view: is all well, how much is mined, is anybody missing, what is earned, where to connect. */
import type { Blocks } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { useAnswer, useSeen } from '../../use/reading.js';
import { BridgesCard } from './bridges-card.js';
import { ConnectCard } from './connect-card.js';
import { OverviewFigures } from './figures.js';
import { FirstRun } from './first-run.js';
import { LastBlocks } from './last-blocks.js';
import { NodesCard } from './nodes-card.js';
import { PoolChart } from './pool-chart.js';
import { RigsCard } from './rigs-card.js';
import { StateLine } from './state-line.js';
import { TermsCard } from './terms-card.js';

const SHOWN_BLOCKS = 6;

export function Overview({ route }: { route: Route }) {
  const { isAnonymous, totals } = useSeen();
  const asked = useAnswer<Blocks>(`/api/v1/blocks?limit=${SHOWN_BLOCKS}`);
  const { value: blocks } = asked;
  if (!totals) return <p class="quiet">Loading …</p>;
  if (isAnonymous)
    return (
      <>
        <div class="cards">
          <ConnectCard />
          <TermsCard />
        </div>
        <OverviewFigures blocks={blocks} />
        <PoolChart route={route} newest={blocks?.blocks[0]} />
        <LastBlocks asked={asked} />
      </>
    );
  const isFirstRun = blocks?.blocks.length === 0;
  return (
    <>
      <StateLine blocks={blocks} />
      <OverviewFigures blocks={blocks} />
      {isFirstRun && <FirstRun blocks={blocks} />}
      <PoolChart route={route} newest={blocks?.blocks[0]} isLeftOut={isFirstRun} />
      <div class="cards">
        <div class="column">
          <RigsCard />
          {!isFirstRun && <LastBlocks asked={asked} />}
        </div>
        <div class="column">
          <ConnectCard />
          <NodesCard />
          <BridgesCard />
        </div>
      </div>
    </>
  );
}
