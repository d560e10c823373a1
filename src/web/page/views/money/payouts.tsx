/** Payouts: prepared here, paid by hand with a wallet, and then marked. */

import { useState } from 'preact/hooks';
import { Card } from '../../parts/card.js';
import { Older } from '../../parts/controls/older.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import type { Payout } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { useAsked } from '../../use/reading.js';
import { amount } from '../../words/money.js';
import { count } from '../../words/numbers.js';
import { PAYOUT_STATES } from '../../words/payouts.js';
import { PayoutDetail } from './payout-detail.js';
import { Prepare } from './prepare.js';

interface PayoutList {
  readonly payouts: readonly Payout[];
  readonly next: string | null;
}

interface PayoutsProps {
  readonly route: Route;
  readonly orders: number;
  /** A bridge pays on chain. */
  readonly isOnChain: boolean;
  ordered(): void;
}

const EVERY_MS = 5_000;

export function Payouts({ route, orders, isOnChain, ordered }: PayoutsProps) {
  const [open, setOpen] = useState('');
  const before = route.params.get('before') ?? '';
  const path = `/api/v1/payouts${before === '' ? '' : `?${new URLSearchParams({ before })}`}`;
  const asked = useAsked<PayoutList>(`${path} ${orders}`, EVERY_MS, (ask, signal) => ask.json(path, signal));
  const { value, isOld } = asked;
  return (
    <Card id="payouts" title="Payouts" asked={asked}>
      <Prepare
        isOnChain={isOnChain}
        prepared={value?.payouts.find(({ state }) => state === 'prepared')}
        done={(id) => {
          setOpen(id);
          ordered();
        }}
      />
      {value?.payouts.length === 0 && (
        <p>
          None yet. A payout takes all balances from the minimum of the settings up. It is prepared here, paid
          by you with a wallet, and then marked as paid.
        </p>
      )}
      {value && value.payouts.length > 0 && (
        <DataTable
          label="Table of payouts"
          columns={columnsOf(open, setOpen)}
          rows={value.payouts}
          keyOf={({ id }) => id}
          isBusy={isOld}
          below={(payout) => payout.id === open && <PayoutDetail payout={payout} ordered={ordered} />}
        />
      )}
      <Older route={route} label="Pages of payouts" next={value?.next} />
    </Card>
  );
}

function columnsOf(open: string, setOpen: (id: string) => void): readonly Column<Payout>[] {
  return [
    {
      title: 'Payout',
      show: ({ id, name }) => (
        <button
          type="button"
          class="opener"
          aria-expanded={id === open}
          aria-label={`Payout ${name}: whom it pays`}
          onClick={() => setOpen(id === open ? '' : id)}
        >
          {name}
        </button>
      ),
    },
    {
      title: 'State',
      show: ({ state }) => <span class={`state is-${state}`}>{PAYOUT_STATES[state]}</span>,
    },
    { title: 'Total', look: 'number', show: ({ total }) => amount(total) },
    { title: 'Accounts', look: 'number is-extra', show: ({ accounts }) => count(accounts) },
    { title: 'Minimum', look: 'number is-extra', show: ({ minimum }) => amount(minimum) },
    { title: 'Prepared', look: 'number', show: ({ preparedAt }) => <Age at={preparedAt} /> },
    { title: 'Note', look: 'is-extra', show: ({ note }) => <span class="long">{note}</span> },
  ];
}
