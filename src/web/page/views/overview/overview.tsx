/** The first view: is all well, how much is mined, where to connect. */
import { ConnectCard } from './connect-card.js';
import { FastestRigs } from './fastest-rigs.js';
import { Figures } from './figures.js';
import { NodesCard } from './nodes-card.js';

export function Overview() {
  return (
    <>
      <Figures />
      <div class="cards">
        <div class="column">
          <FastestRigs />
          <NodesCard />
        </div>
        <ConnectCard />
      </div>
    </>
  );
}
