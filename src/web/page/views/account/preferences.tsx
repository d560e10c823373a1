/** How an account wishes to be paid, and where its owner says so: in words that his key has signed. */
import { Amount } from '../../parts/amount.js';
import { Card } from '../../parts/card.js';
import { Field, Order } from '../../parts/orders/order.js';
import { Who } from '../../parts/who.js';
import type { AccountDetails, Root } from '../../reading/answers.js';
import { useAnswer } from '../../use/reading.js';

export function Preferences({ details: { account, payout } }: { details: AccountDetails }) {
  const { minimum, wishedChain, beneficiaries } = payout;
  const { value } = useAnswer<{ readonly roots: readonly Root[] }>('/api/v1/roots?limit=1');
  const key = value?.roots[0]?.key;
  const actions = (
    <Order
      words="Change"
      label="Change how you are paid"
      asks={
        <>
          On the machine with your keys, run{' '}
          <code class="long">stratum-bridge keygen wish account.json --pool {key}</code> with what you wish (
          <code>--help</code> lists it), and paste the line that it prints. It takes the place of all that is
          here.
        </>
      }
      confirm="Send"
      path={`/api/v1/accounts/${encodeURIComponent(account)}/wish`}
      body={({ signed = '' }) => signedIn(signed)}
      said={() => 'You are paid like that from now on.'}
    >
      <Field name="signed" label="The line that it printed" maxLength={3000} />
    </Order>
  );
  return (
    <Card
      id="preferences"
      title="How it is paid"
      actions={account.startsWith('k:') && key !== undefined && actions}
    >
      <p>
        {minimum === null ? (
          'From the minimum of everybody on'
        ) : (
          <>
            From <Amount of={minimum} /> on
          </>
        )}
        {wishedChain === null ? ', on whatever chain has the coins.' : `, on chain ${wishedChain}.`}
      </p>
      {beneficiaries.length > 0 && (
        <ul class="beneficiaries" aria-label="Passes on of what it earns of blocks">
          {beneficiaries.map(({ account: to, basisPoints }) => (
            <li key={to}>
              {basisPoints / 100} % of what it earns of blocks goes to <Who account={to} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** What is none of its lines is for the bridge to refuse. */
function signedIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return { wish: text };
  }
}
