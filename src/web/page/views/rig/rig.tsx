/** One rig: how it mines, what it is told, what happened to it, and orders to it. */
import { MinedCharts } from '../../parts/chart/mined-charts.js';
import { Waiting } from '../../parts/waiting.js';
import type { RigDetail } from '../../reading/answers.js';
import { hashOf, type Route } from '../../route.js';
import { useAsked } from '../../use/reading.js';
import { RigActions } from './actions.js';
import { RigEvents } from './rig-events.js';
import { RigFacts } from './rig-facts.js';
import { RigFigures } from './rig-figures.js';
import { Sessions } from './sessions.js';

const EVERY_MS = 2_000;

export function Rig({ route }: { route: Route }) {
  const [account = '', rig = ''] = route.parts;
  const path = `/api/v1/rigs/${[account, ...(rig === '' ? [] : [rig])].map(encodeURIComponent).join('/')}`;
  const asked = useAsked<RigDetail>(path, EVERY_MS, (ask, signal) => ask.json(path, signal));
  const { value } = asked;
  return (
    <>
      <p class="long">
        Of the account <a href={hashOf('account', {}, [account])}>{account}</a>.{' '}
        <a href={hashOf('rigs')}>All rigs</a>
      </p>
      <Waiting {...asked} />
      {value && <RigFigures rig={value.rig} />}
      <MinedCharts route={route} kind="rig" names={[account, rig]} />
      {value && (
        <div class="cards">
          <div class="column">
            <Sessions detail={value} />
            <RigEvents login={rig === '' ? account : `${account}.${rig}`} />
          </div>
          <div class="column">
            <RigFacts rig={value.rig} />
            <RigActions rig={value.rig} />
          </div>
        </div>
      )}
    </>
  );
}
