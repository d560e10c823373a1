/** Whom a payout pays, as a table and as files for a wallet, and what became of it. */
import { useState } from 'preact/hooks';
import { DataTable } from '../../parts/data-table.js';
import { AccountLink } from '../../parts/links.js';
import { Field, Order } from '../../parts/order.js';
import { Slices } from '../../parts/slices.js';
import { Waiting } from '../../parts/waiting.js';
import type { Payout, PayoutLines } from '../../reading/answers.js';
import { markPayout, type Verdict } from '../../reading/payouts.js';
import { useAsked } from '../../use/reading.js';
import { useToken } from '../../use/token.js';
import { amount } from '../../words/money.js';
import { counted } from '../../words/numbers.js';
import { isOpen, PAYMENT_STATES } from '../../words/payouts.js';
import { Downloads } from './downloads.js';

const EVERY_MS = 30_000;
const LINES = 100;

interface PayoutDetailProps {
  readonly payout: Payout;
  ordered(): void;
}

export function PayoutDetail({ payout, ordered }: PayoutDetailProps) {
  const { role } = useToken();
  const [said, setSaid] = useState('');
  return (
    <>
      {/* Outside of the orders, of which none is left once it is settled. */}
      <p class="said" role="status">
        {said}
      </p>
      {payout.note !== '' && <p class="long">Note: {payout.note}</p>}
      <Downloads payout={payout} />
      <Lines id={payout.id} name={payout.name} />
      {role === 'admin' && isOpen(payout) && (
        <Marks
          payout={payout}
          marked={(words) => {
            setSaid(words);
            ordered();
          }}
        />
      )}
    </>
  );
}

function Lines({ id, name }: Pick<Payout, 'id' | 'name'>) {
  const [offset, setOffset] = useState(0);
  const path = `/api/v1/payouts/${id}?offset=${offset}&limit=${LINES}`;
  const asked = useAsked<PayoutLines>(path, EVERY_MS, (ask, signal) => ask.json(path, signal));
  const { value } = asked;
  if (!value) return <Waiting {...asked} />;
  return (
    <>
      <Waiting {...asked} />
      <DataTable
        label={`Lines of payout ${name}`}
        columns={[
          { title: 'Account', look: 'name', show: ({ account }) => <AccountLink account={account} /> },
          { title: 'Amount', look: 'number', show: (line) => amount(line.amount) },
          { title: 'State', look: 'is-extra', show: ({ state }) => PAYMENT_STATES[state] },
        ]}
        rows={value.lines}
        keyOf={({ account }) => account}
      />
      <Slices
        what="Lines of the payout"
        total={value.accounts}
        size={LINES}
        offset={offset}
        change={setOffset}
      />
    </>
  );
}

interface Mark {
  readonly verdict: Verdict;
  readonly words: string;
  readonly confirm: string;
  readonly note: string;
  readonly said: string;
  asks(sum: string): string;
}

const MARKS: readonly Mark[] = [
  {
    verdict: 'paid',
    words: 'Mark as paid',
    asks: (sum) =>
      `${sum} are taken as paid. That is final: mark it once you have seen the transaction on the chain.`,
    confirm: 'It is paid',
    note: 'Transaction, or another note',
    said: 'is paid',
  },
  {
    verdict: 'cancel',
    words: 'Cancel',
    asks: (sum) =>
      `${sum} are back in the balances, and in the next payout. That is final: cancel it only when nothing was sent, or they are paid twice.`,
    confirm: 'Nothing was sent',
    note: 'Why',
    said: 'is cancelled',
  },
  {
    verdict: 'unknown',
    words: 'Put on hold',
    asks: (sum) => `${sum} stay set aside until you know whether they were paid, and say so.`,
    confirm: 'It is not known',
    note: 'What is known',
    said: 'is on hold',
  },
];

interface MarksProps {
  readonly payout: Payout;
  /** @param words what came of it. */
  marked(words: string): void;
}

function Marks({ payout: { id, name, state, total, accounts }, marked }: MarksProps) {
  const sum = `${amount(total)} of ${counted(accounts, 'account')}`;
  return (
    <div class="orders">
      {MARKS.filter(({ verdict }) => verdict !== state).map(
        ({ verdict, words, confirm, note, said, asks }) => (
          <Order
            key={verdict}
            words={words}
            label={`${words}: payout ${name}`}
            asks={asks(sum)}
            confirm={confirm}
            give={async (ask, given) => {
              await markPayout(ask, id, verdict, given('note'));
              marked(`Payout ${name} ${said}.`);
              return '';
            }}
          >
            <Field name="note" label={note} maxLength={500} isNeeded={false} />
          </Order>
        ),
      )}
    </div>
  );
}
