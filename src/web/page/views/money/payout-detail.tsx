/** Whom a payout pays, as a table and as files for a wallet, and what became of it. */
import { useState } from 'preact/hooks';
import type { PaymentOutcome } from '../../../../operations/enums.js';
import { Field, Order } from '../../parts/controls/order.js';
import type { Payout } from '../../reading/answers.js';
import { markPayout } from '../../reading/payouts.js';
import { useSession } from '../../use/session.js';
import { amount } from '../../words/money.js';
import { counted } from '../../words/numbers.js';
import { isOpen, waitsForPeople } from '../../words/payouts.js';
import { Approval } from './approval.js';
import { Downloads } from './downloads.js';
import { Lines } from './lines.js';

interface PayoutDetailProps {
  readonly payout: Payout;
  ordered(): void;
}

export function PayoutDetail({ payout, ordered }: PayoutDetailProps) {
  const { may } = useSession();
  const [said, setSaid] = useState('');
  return (
    <>
      {/* Outside of the orders, of which none is left once it is settled. */}
      <p class="said" role="status">
        {said}
      </p>
      {payout.note !== '' && <p class="long">Note: {payout.note}</p>}
      {payout.hash === null && <Downloads payout={payout} />}
      <Lines payout={payout} />
      {may('approve') && waitsForPeople(payout) && <Approval payout={payout} ordered={ordered} />}
      {payout.hash === null && may('admin') && isOpen(payout) && (
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

interface Mark {
  readonly outcome: PaymentOutcome;
  readonly words: string;
  readonly confirm: string;
  readonly note: string;
  readonly said: string;
  asks(sum: string): string;
}

const MARKS: readonly Mark[] = [
  {
    outcome: 'sent',
    words: 'Mark as paid',
    asks: (sum) =>
      `${sum} are taken as paid. That is final: mark it once you have seen the transaction on the chain.`,
    confirm: 'It is paid',
    note: 'Transaction, or another note',
    said: 'is paid',
  },
  {
    outcome: 'failed',
    words: 'Cancel',
    asks: (sum) =>
      `${sum} are back in the balances, and in the next payout. That is final: cancel it only when nothing was sent, or they are paid twice.`,
    confirm: 'Nothing was sent',
    note: 'Why',
    said: 'is cancelled',
  },
  {
    outcome: 'unknown',
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
      {MARKS.filter(({ outcome }) => outcome !== state).map(
        ({ outcome, words, confirm, note, said, asks }) => (
          <Order
            key={outcome}
            words={words}
            label={`${words}: payout ${name}`}
            asks={asks(sum)}
            confirm={confirm}
            give={async (ask, given) => {
              await markPayout(ask, id, outcome, given('note'));
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
