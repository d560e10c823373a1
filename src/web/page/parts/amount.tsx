/** An amount of the coin: short for eyes, with the whole number where the pointer rests. */
import { usePool } from '../use/pool.js';
import { amount, shortAmount } from '../words/money.js';

interface AmountProps {
  /** As the API has it. */
  readonly of: string;
  /** The head of the column says it already. */
  readonly isBare?: boolean;
}

export function Amount({ of, isBare = false }: AmountProps) {
  const { coin } = usePool();
  return (
    <span class="amount" title={`${amount(of)} ${coin}`}>
      {shortAmount(of)}
      {!isBare && (
        <>
          {' '}
          <span class="unit">{coin}</span>
        </>
      )}
    </span>
  );
}
