/** What the pool owes. */
import { Figure } from '../../parts/figures/figure.js';
import { OfDay } from '../../parts/figures/sparkline.js';
import type { Money } from '../../reading/answers.js';
import { useAsked } from '../../use/reading.js';
import { shortAmount } from '../../words/money.js';

const EVERY_MS = 10_000;

export function MoneyFigure() {
  const { value } = useAsked<Money>('money', EVERY_MS, (ask, signal) => ask.json('/api/v1/money', signal));
  const isNothing = value && [value.due, value.expected, value.paying].every((each) => Number(each) === 0);
  return (
    <Figure name="Due" value={value && shortAmount(value.due)} spark={<OfDay metric="unpaid" />}>
      {value && (isNothing ? 'a block has to be found first' : restOf(value))}
    </Figure>
  );
}

function restOf({ expected, paying }: Money): string {
  const parts = [
    Number(expected) !== 0 && `${shortAmount(expected)} more once blocks are confirmed`,
    Number(paying) !== 0 && `${shortAmount(paying)} in payouts under way`,
  ].filter(Boolean);
  return parts.join(', ') || 'can be paid';
}
