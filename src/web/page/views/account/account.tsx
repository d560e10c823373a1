/** What a miner looks at: how fast his rigs are, what he is owed, what he was paid, and what he may expect. */
import { useMemo } from 'preact/hooks';
import { Chart } from '../../parts/chart/chart.js';
import { outcomesDrawing, rateDrawing } from '../../parts/chart/drawings.js';
import { RangeChoice, rangeOf } from '../../parts/chart/range-choice.js';
import { FindAccount } from '../../parts/find-account.js';
import type { AccountDetails } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { useBands } from '../../use/bands.js';
import { useHistory } from '../../use/history.js';
import { useAsked } from '../../use/reading.js';
import { endedSentence } from '../../words/sentences.js';
import { AccountFigures } from './account-figures.js';
import { AccountRigs } from './account-rigs.js';
import { Payments } from './payments.js';

const EVERY_MS = 5_000;

export function Account({ route }: { route: Route }) {
  const [account = ''] = route.parts;
  return (
    <>
      {account !== '' && <Of account={account} route={route} />}
      <FindAccount />
    </>
  );
}

function Of({ account, route }: { account: string; route: Route }) {
  const path = `/api/v1/accounts/${encodeURIComponent(account)}`;
  const { value, fault } = useAsked<AccountDetails>(path, EVERY_MS, (ask, signal) => ask.json(path, signal));
  return (
    <>
      <p>
        <code>{account}</code>
      </p>
      {fault && <Fault fault={fault} isKnown={value !== undefined} />}
      {!value && !fault && <p class="quiet">Asking for the account.</p>}
      {value && <AccountFigures details={value} />}
      {value && <Charts account={account} route={route} />}
      {value && (
        <div class="cards">
          <AccountRigs details={value} />
          <Payments details={value} />
        </div>
      )}
    </>
  );
}

/** Who has just begun to mine is not in the books yet, and who has mistyped never will be. */
function Fault({ fault, isKnown }: { fault: string; isKnown: boolean }) {
  return (
    <div class="trouble">
      <p>{endedSentence(fault)}</p>
      {!isKnown && (
        <p>
          An account comes into the books with the first accepted share of a rig whose user begins with it. Is
          it written as in the rig, without the rig’s own name behind the dot?
        </p>
      )}
    </div>
  );
}

function Charts({ account, route }: { account: string; route: Route }) {
  const range = rangeOf(route);
  const of = `account:${account}`;
  const rates = useHistory('hashRate', range, of);
  const shares = useHistory('shares', range, of);
  const bands = useBands(rates.value?.from, account);
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
  <p>No share of this account was booked in this time. The books need up to a minute for the first one.</p>
);
