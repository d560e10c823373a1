/** How far a payout is: a count for each step. */
import type { ChainTransaction, Payout } from '../../reading/answers.js';
import { useAnswer } from '../../use/reading.js';
import { stepsOf } from '../../words/payouts.js';

export interface Transactions {
  readonly total: number;
  readonly transactions: readonly ChainTransaction[];
}

/** As many as the API gives at a time. */
const MOST = 1_000;

/** The latest of a payout. */
export function useTransactions(id: string): Transactions | undefined {
  return useAnswer<Transactions>(`/api/v1/ledger/transactions?payout=${id}&limit=${MOST}`).value;
}

export function Steps({ payout }: { payout: Payout }) {
  const isUnderWay = payout.hash !== null && !payout.isSettled;
  return isUnderWay ? <UnderWay payout={payout} /> : <List payout={payout} underWay={0} />;
}

/** Of which blocks do not tell all yet. */
function UnderWay({ payout }: { payout: Payout }) {
  const sent = useTransactions(payout.id)?.transactions.filter(
    ({ state, sentAt }) => state === 'open' && sentAt !== null,
  );
  return <List payout={payout} underWay={sent?.length ?? 0} />;
}

function List({ payout, underWay }: { payout: Payout; underWay: number }) {
  return (
    <ol class="steps">
      {stepsOf(payout, underWay).map(({ words, count, isDone }) => (
        <li key={words} class={isDone ? 'is-done' : ''}>
          {count} {words}
        </li>
      ))}
    </ol>
  );
}
