/** A payout that is to be paid on chain, and that people approve or reject: exactly the lines that they see. */
import { useState } from 'preact/hooks';
import { Amount } from '../../parts/amount.js';
import { Note, Order } from '../../parts/orders/order.js';
import type { Payout } from '../../reading/answers.js';
import { counted } from '../../words/numbers.js';
import { Lines } from './lines.js';

export function Approve({ payout }: { payout: Payout }) {
  const { id, name } = payout;
  return (
    <Order<{ missing: number }>
      words={`Approve ${name}`}
      look="primary"
      asks="It pays these lines, and no others."
      confirm="Approve these lines"
      path={`/api/v1/payouts/${id}/approve`}
      said={({ missing }) =>
        `Payout ${name} is approved${missing > 0 ? `: ${counted(missing, 'person', 'people')} more have to` : ''}`
      }
    >
      <Shown payout={payout} />
    </Order>
  );
}

/** As it was when the dialog was opened: what is sent is the hash that stands there. */
function Shown({ payout }: { payout: Payout }) {
  const [{ hash, total, accounts }] = useState(payout);
  const isOther = payout.hash !== hash;
  return (
    <>
      <p class="approved-sum">
        <Amount of={total} /> to {counted(accounts, 'account')}
      </p>
      <Lines payout={payout} isPlan />
      <p>
        <span class="note line">Hash of the lines</span>
        <code>{hash}</code>
      </p>
      <input type="hidden" name="hash" value={hash ?? ''} />
      {isOther && <p class="problem">It has other lines by now. Close this, and look at them.</p>}
    </>
  );
}

export function Reject({ payout: { id, name, total, accounts } }: { payout: Payout }) {
  return (
    <Order
      words="Reject"
      label={`Reject payout ${name}`}
      look="danger"
      asks={
        <>
          <Amount of={total} /> of {counted(accounts, 'account')} are due again, and in the next payout.
        </>
      }
      confirm="Reject it"
      path={`/api/v1/payouts/${id}/reject`}
      said={() => `Payout ${name} is rejected`}
    >
      <Note label="Why" />
    </Order>
  );
}
