/** Whom a payout pays, what became of it, and what one can do about it. */
import type { ComponentChildren } from 'preact';
import { Amount } from '../../parts/amount.js';
import type { Payout } from '../../reading/answers.js';
import { useSession } from '../../use/session.js';
import { counted } from '../../words/numbers.js';
import { waitsForPeople } from '../../words/payouts.js';
import { Reject } from './approval.js';
import { Downloads } from './downloads.js';
import { Lines } from './lines.js';
import { Mark } from './mark.js';
import { useTransactions } from './steps.js';

export function PayoutDetail({ payout }: { payout: Payout }) {
  const { hash, state, note, minimum, approvedBy } = payout;
  const { may } = useSession();
  // Above the view one is asked about those that wait for approval.
  const isApproved = hash !== null && state === 'prepared' && !waitsForPeople(payout);
  return (
    <div class="payout-detail">
      {hash === null && <ByHand payout={payout} />}
      <p class="note">
        Balances from <Amount of={minimum} /> up.
        {approvedBy.length > 0 && ` Approved by ${approvedBy.join(', ')}.`}
        {note !== '' && ` Note: ${note}`}
      </p>
      <Lines payout={payout} />
      {isApproved && may('approve') && <RejectUnbuilt payout={payout} />}
    </div>
  );
}

/** As long as nothing was signed. */
function RejectUnbuilt({ payout }: { payout: Payout }) {
  return useTransactions(payout.id)?.total === 0 ? <Reject payout={payout} /> : null;
}

/** What a person does, in order. Who may not mark it may fetch it. */
function ByHand({ payout }: { payout: Payout }) {
  const { may } = useSession();
  const { prepared, unknown, sent } = payout.payments;
  const isOpen = prepared + unknown > 0;
  if (!isOpen && sent === 0) return <Downloads payout={payout} />;
  return (
    <ol class="by-hand">
      <ToDo words="Download" number={1}>
        <Downloads payout={payout} />
      </ToDo>
      <ToDo words="Pay it with your wallet" number={2}>
        <Amount of={payout.total} /> to {counted(payout.accounts, 'account')}
      </ToDo>
      <ToDo words="Say what became of it" number={3}>
        {may('admin') ? (
          <Mark payout={payout} />
        ) : (
          <p class="note">
            Sign in as an administrator, or use <code>stratum-bridge ledger payout mark</code>.
          </p>
        )}
      </ToDo>
    </ol>
  );
}

interface ToDoProps {
  readonly number: number;
  readonly words: string;
  readonly children: ComponentChildren;
}

function ToDo({ number, words, children }: ToDoProps) {
  return (
    <li>
      <span class="step-sign" aria-hidden="true">
        {number}
      </span>
      <div>
        <b>{words}</b>
        <div>{children}</div>
      </div>
    </li>
  );
}
