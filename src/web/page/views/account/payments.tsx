/** What an account was paid, and what is under way. */
import { useState } from 'preact/hooks';
import { Amount } from '../../parts/amount.js';
import { Card } from '../../parts/card.js';
import { CopyButton } from '../../parts/controls/copy.js';
import { saveFile } from '../../parts/controls/save-file.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import { State } from '../../parts/state.js';
import type { AccountDetails } from '../../reading/answers.js';
import { shortName } from '../../words/names.js';
import { PAYMENT_STATES, paymentsCsv } from '../../words/payouts.js';

type Payment = AccountDetails['payments'][number];

/** As many as the API gives. */
const MOST = 100;
/** Until somebody wants to see all of them. */
const FEW = 8;

export function Payments({ details: { account, payments } }: { details: AccountDetails }) {
  const [isWhole, setWhole] = useState(false);
  const save = (): void => saveFile('payments.csv', 'text/csv', paymentsCsv(account, payments));
  const actions = payments.length > 0 && (
    <button type="button" class="quiet-button" onClick={save}>
      Save as CSV
    </button>
  );
  return (
    <Card id="payments" title="Payments" actions={actions}>
      {payments.length === 0 ? (
        <p>None yet. The first payout after the minimum is reached pays all that is due.</p>
      ) : (
        <DataTable
          label="Table of payments"
          columns={COLUMNS}
          rows={isWhole ? payments : payments.slice(0, FEW)}
          keyOf={({ payout }) => payout}
        />
      )}
      {!isWhole && payments.length > FEW && (
        <p class="note">
          <button type="button" class="quiet-button" onClick={() => setWhole(true)}>
            Show all {payments.length}
          </button>
        </p>
      )}
      {isWhole && payments.length === MOST && <p class="note">The latest {MOST}: there may be older ones.</p>}
    </Card>
  );
}

const COLUMNS: readonly Column<Payment>[] = [
  { title: 'Amount', show: (payment) => <Amount of={payment.amount} /> },
  {
    title: 'State',
    show: ({ state, note }) => (
      <>
        <State of={state} words={PAYMENT_STATES[state]} />
        {note !== '' && <span class="aside line long">{note}</span>}
      </>
    ),
  },
  { title: 'When', look: 'number', show: ({ changedAt }) => <Age at={changedAt} /> },
  {
    ...{ title: 'Transaction', look: 'wide' },
    show: ({ chainId, requestKey }) =>
      requestKey && <Transaction chainId={chainId} requestKey={requestKey} />,
  },
  { title: 'Payout', look: 'number', show: ({ payout }) => payout },
];

function Transaction({ chainId, requestKey }: { chainId: number | null; requestKey: string }) {
  return (
    <span class="transaction">
      {chainId !== null && <span class="none">chain {chainId}</span>}
      <code title={requestKey}>{shortName(requestKey)}</code>
      <CopyButton text={requestKey} what="the request key" />
    </span>
  );
}
