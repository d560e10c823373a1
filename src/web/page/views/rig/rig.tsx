/** One rig: how it mines, what it is told, what happened to it, and orders to it. */
import { useMemo } from 'preact/hooks';
import { Chart } from '../../parts/chart/chart.js';
import { outcomesDrawing, rateDrawing } from '../../parts/chart/drawings.js';
import { RangeChoice, rangeOf } from '../../parts/chart/range-choice.js';
import type { RigDetail } from '../../reading/answers.js';
import { hashOf, type Route } from '../../route.js';
import { useBands } from '../../use/bands.js';
import { useHistory } from '../../use/history.js';
import { useAsked } from '../../use/reading.js';
import { endedSentence } from '../../words/sentences.js';
import { RigActions } from './actions.js';
import { RigEvents } from './rig-events.js';
import { RigFacts } from './rig-facts.js';
import { RigFigures } from './rig-figures.js';
import { Sessions } from './sessions.js';

const EVERY_MS = 2_000;

export function Rig({ route }: { route: Route }) {
  const [account = '', rig = ''] = route.parts;
  const path = `/api/v1/rigs/${[account, ...(rig === '' ? [] : [rig])].map(encodeURIComponent).join('/')}`;
  const { value, fault } = useAsked<RigDetail>(path, EVERY_MS, (ask, signal) => ask.json(path, signal));
  return (
    <>
      <p class="long">
        Of the account <a href={hashOf('account', {}, [account])}>{account}</a>.{' '}
        <a href={hashOf('rigs')}>All rigs</a>
      </p>
      {fault && <p class="problem">{endedSentence(fault)}</p>}
      {!value && !fault && <p class="quiet">Asking for the rig.</p>}
      {value && <RigFigures rig={value.rig} />}
      <Charts route={route} login={`${account}.${rig}`} />
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

function Charts({ route, login }: { route: Route; login: string }) {
  const range = rangeOf(route);
  const of = `rig:${login}`;
  const rates = useHistory('hashRate', range, of);
  const shares = useHistory('shares', range, of);
  const bands = useBands(rates.value?.from, login);
  const rate = useMemo(() => rates.value && { ...rateDrawing(rates.value), bands }, [rates.value, bands]);
  const outcomes = useMemo(() => shares.value && outcomesDrawing(shares.value), [shares.value]);
  return (
    <div class="cards">
      <Chart title="Hash rate" drawing={rate} fault={rates.fault} isBusy={rates.isOld} none={NONE}>
        <RangeChoice route={route} />
      </Chart>
      <Chart title="Submits" drawing={outcomes} fault={shares.fault} isBusy={shares.isOld} none={NONE} />
    </div>
  );
}

const NONE = (
  <p>No share of this rig was booked in this time. The books need up to a minute for the first one.</p>
);
