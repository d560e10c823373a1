/** Payouts, the latest first, each with how far it is. */
import { useState } from 'preact/hooks';
import { Amount } from '../../parts/amount.js';
import { Card } from '../../parts/card.js';
import { Older } from '../../parts/controls/older.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import { State } from '../../parts/state.js';
import type { PayerView, Payout } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { usePool } from '../../use/pool.js';
import { useAnswer } from '../../use/reading.js';
import { count } from '../../words/numbers.js';
import { payoutState } from '../../words/payouts.js';
import { PayoutDetail } from './payout-detail.js';
import { PayoutActions } from './prepare.js';
import { Steps } from './steps.js';

interface PayoutList {
  readonly payouts: readonly Payout[];
  readonly next: string | null;
}

interface PayoutsProps {
  readonly route: Route;
  /** That are not settled; `undefined` until it is known. */
  readonly open: readonly Payout[] | undefined;
  readonly payer: PayerView | undefined;
}

const ROWS = 20;

export function PayoutList({ route, open, payer }: PayoutsProps) {
  const [shown, setShown] = useState('');
  const { coin } = usePool();
  const before = route.params.get('before') ?? '';
  const asked = useAnswer<PayoutList>(
    `/api/v1/payouts?limit=${ROWS}${before && `&before=${encodeURIComponent(before)}`}`,
  );
  const { value, isOld } = asked;
  return (
    <Card
      id="payouts"
      title="Payouts"
      asked={asked}
      actions={<PayoutActions payer={payer} open={open} show={setShown} />}
    >
      {value?.payouts.length === 0 && <NoneYet isOnChain={payer?.isPaying ?? false} />}
      {value && value.payouts.length > 0 && (
        <DataTable
          label="Table of payouts"
          columns={columnsOf(coin, shown, setShown)}
          rows={value.payouts}
          keyOf={({ id }) => id}
          isBusy={isOld}
          below={(payout) => payout.id === shown && <PayoutDetail payout={payout} />}
        />
      )}
      <Older route={route} label="Pages of payouts" next={value?.next} />
    </Card>
  );
}

function NoneYet({ isOnChain }: { isOnChain: boolean }) {
  const { terms } = usePool();
  return (
    <p>
      No payout yet. The next one pays all balances
      {terms && (
        <>
          {' from '}
          <Amount of={terms.minimum} />
        </>
      )}
      {' up'}
      {!isOnChain && ': prepare it here, pay it with your wallet, and mark it as sent'}.
    </p>
  );
}

function columnsOf(coin: string, shown: string, setShown: (id: string) => void): readonly Column<Payout>[] {
  return [
    {
      title: 'Payout',
      show: ({ id, name }) => (
        <button
          type="button"
          class="opener"
          aria-expanded={id === shown}
          aria-label={`Payout ${name}: whom it pays`}
          onClick={() => setShown(id === shown ? '' : id)}
        >
          {name}
        </button>
      ),
    },
    {
      title: 'State',
      show: (payout) => <State {...payoutState(payout)} />,
    },
    { title: 'Progress', look: 'wide', show: (payout) => <Steps payout={payout} /> },
    { title: `Total, ${coin}`, look: 'number', show: ({ total }) => <Amount of={total} isBare /> },
    { title: 'Accounts', look: 'number', show: ({ accounts }) => count(accounts) },
    { title: 'Planned', look: 'number', show: ({ preparedAt }) => <Age at={preparedAt} /> },
  ];
}
