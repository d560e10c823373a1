/** What the pool owes, when it pays, what waits for a person, and each payout. */
import type { Holding, PayerView, Payout } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { useAnswer } from '../../use/reading.js';
import { Attention } from './attention.js';
import { Band } from './band.js';
import { PaidDays } from './paid-days.js';
import { PayoutList } from './payouts.js';
import { Wallet } from './wallet.js';

export function Payouts({ route }: { route: Route }) {
  const payer = useAnswer<{ payer: readonly PayerView[] }>('/api/v1/ledger/payer').value?.payer[0];
  const open = useAnswer<{ payouts: readonly Payout[] }>('/api/v1/payouts?only=open&limit=100').value
    ?.payouts;
  const holdings = useAnswer<{ operator: readonly Holding[] }>('/api/v1/ledger/operator').value?.operator;
  return (
    <>
      <Attention payer={payer} open={open ?? []} />
      <Band payer={payer} holdings={holdings} />
      <PayoutList route={route} open={open} payer={payer} />
      <div class="cards">
        <PaidDays />
        <Wallet payer={payer} holdings={holdings} />
      </div>
    </>
  );
}
