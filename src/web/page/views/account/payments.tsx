/** What an account was paid, and what is under way. */

import { Card } from '../../parts/card.js';
import { saveFile } from '../../parts/controls/save-file.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import type { AccountDetails } from '../../reading/answers.js';
import { amount } from '../../words/money.js';
import { paymentsCsv } from '../../words/payouts.js';

type Payment = AccountDetails['payments'][number];

const STATES: Readonly<Record<Payment['state'], string>> = {
  prepared: 'under way',
  sent: 'sent',
  confirmed: 'paid',
  failed: 'failed: due again',
  unknown: 'on hold until the operator knows what became of it',
};

const COLUMNS: readonly Column<Payment>[] = [
  { title: 'Payout', show: ({ payout }) => payout },
  { title: 'Amount', look: 'number', show: (payment) => amount(payment.amount) },
  {
    title: 'State',
    show: ({ state, note }) => (
      <>
        {STATES[state]}
        {note !== '' && <span class="aside line long">{note}</span>}
      </>
    ),
  },
  {
    title: 'Transaction',
    look: 'is-extra',
    show: ({ requestKey }) => requestKey && <code class="line long">{requestKey}</code>,
  },
  { title: 'Changed', look: 'number', show: ({ changedAt }) => <Age at={changedAt} /> },
];

/** As many as the API gives. */
const MOST = 100;

export function Payments({ details: { account, payments, payout } }: { details: AccountDetails }) {
  return (
    <Card id="payments" title="Payments">
      {payments.length === 0 ? (
        <p>None yet. What is due is paid with one of the operator’s next payouts.</p>
      ) : (
        <DataTable
          label="Table of payments"
          className="tall"
          columns={COLUMNS}
          rows={payments}
          keyOf={({ payout }) => payout}
        />
      )}
      <p class="note">
        {payout.minimum !== null && `Paid from ${amount(payout.minimum)} up. `}
        {payout.wishedChain !== null && `Wished chain: ${payout.wishedChain}. `}
      </p>
      {payments.length > 0 && (
        <button
          type="button"
          onClick={() => saveFile('payments.csv', 'text/csv', paymentsCsv(account, payments))}
        >
          Download CSV
        </button>
      )}
      {payments.length === MOST && <p class="note">The latest {MOST}; there may be older ones.</p>}
    </Card>
  );
}
