/** What the bridge goes by, and beside it whom it lets in. */
import { Segments } from '../../parts/controls/segments.js';
import { hashOf, type Route } from '../../route.js';
import { AddressCard } from './address-card.js';
import { BanCard } from './ban-card.js';
import { DrainCard } from './drain-card.js';
import { InForce } from './in-force.js';
import { DifficultyCard, LabelCard } from './rig-cards.js';

const PARTS = [
  ['', 'In force'],
  ['access', 'Access'],
] as const;

export function Settings({ route }: { route: Route }) {
  const isAccess = route.parts[0] === 'access';
  return (
    <>
      <Segments
        label="Parts of the settings"
        options={PARTS}
        chosen={isAccess ? 'access' : ''}
        hrefOf={(part) => hashOf('settings', {}, part === '' ? [] : [part])}
      />
      {isAccess ? <Access /> : <InForce route={route} />}
    </>
  );
}

/** Who is kept out, from where rigs may come, what single rigs are held at and called, and the drain of the bridge. */
function Access() {
  return (
    <>
      <BanCard />
      <div class="cards">
        <div class="column">
          <AddressCard />
          <DrainCard />
        </div>
        <div class="column">
          <DifficultyCard />
          <LabelCard />
        </div>
      </div>
    </>
  );
}
