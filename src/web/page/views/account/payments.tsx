/** What an account was paid, and what is under way. */
import { Age } from '../../parts/age.js';
import { Scrolls } from '../../parts/scrolls.js';
import type { AccountDetails } from '../../reading/answers.js';
import { amount } from '../../words/money.js';

type Payment = AccountDetails['payments'][number];

const STATES: Readonly<Record<Payment['state'], string>> = {
  prepared: 'under way',
  sent: 'sent',
  failed: 'failed: due again',
  unknown: 'on hold until the operator knows what became of it',
};

export function Payments({ details: { payments } }: { details: AccountDetails }) {
  return (
    <section class="card" aria-labelledby="payments">
      <h2 id="payments">Payments</h2>
      {payments.length === 0 ? (
        <p>None yet. What is due is paid with one of the operator’s next payouts.</p>
      ) : (
        <Scrolls label="Table of payments" className="tall">
          <table>
            <thead>
              <tr>
                <th scope="col">Payout</th>
                <th scope="col" class="number">
                  Amount
                </th>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Changed
                </th>
              </tr>
            </thead>
            <tbody>
              {payments.map((payment) => (
                <Row key={payment.payout} payment={payment} />
              ))}
            </tbody>
          </table>
        </Scrolls>
      )}
    </section>
  );
}

function Row({ payment: { payout, amount: paid, state, changedAt, note } }: { payment: Payment }) {
  return (
    <tr>
      <th scope="row">{payout}</th>
      <td class="number">{amount(paid)}</td>
      <td>
        {STATES[state]}
        {note !== '' && <span class="aside line long">{note}</span>}
      </td>
      <td class="number">
        <Age at={changedAt} />
      </td>
    </tr>
  );
}
