/** A payout that is to be paid on chain, and that people have to approve: exactly its lines. */
import { Field, Order } from '../../parts/controls/order.js';
import type { Payout } from '../../reading/answers.js';
import { amount } from '../../words/money.js';
import { counted } from '../../words/numbers.js';

interface ApprovalProps {
  readonly payout: Payout;
  ordered(): void;
}

export function Approval({ payout, ordered }: ApprovalProps) {
  const { id, name, hash, total, accounts, approvals, approvalWhy, approvedBy } = payout;
  const sum = `${amount(total)} to ${counted(accounts, 'account')}`;
  return (
    <div class="orders">
      <p class="long">
        {approvedBy.length} of {approvals} have approved it
        {approvedBy.length > 0 && `: ${approvedBy.join(', ')}`}. It waits because {approvalWhy}.
      </p>
      <Order
        words="Approve"
        label={`Approve payout ${name}`}
        asks={`${sum}, and no other lines than these: their hash is ${hash}.`}
        confirm="Approve it"
        give={async (ask) => {
          await ask.order('POST', `/api/v1/payouts/${id}/approve`, { hash });
          ordered();
          return 'It is approved';
        }}
      />
      <Order
        words="Reject"
        label={`Reject payout ${name}`}
        asks={`${sum} are due again.`}
        confirm="Reject it"
        give={async (ask, given) => {
          await ask.order('POST', `/api/v1/payouts/${id}/reject`, { note: given('note') });
          ordered();
          return 'It is rejected';
        }}
      >
        <Field name="note" label="Why" maxLength={500} />
      </Order>
    </div>
  );
}
