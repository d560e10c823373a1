/** An order about payouts on chain that says why. */
import { Field, Order } from '../../parts/controls/order.js';

interface NotedProps {
  readonly words: string;
  readonly label: string;
  readonly asks: string;
  readonly path: string;
  ordered(): void;
}

export function Noted({ words, label, asks, path, ordered }: NotedProps) {
  return (
    <Order
      words={words}
      label={label}
      asks={asks}
      confirm={words}
      give={async (ask, given) => {
        await ask.order('POST', `/api/v1/payouts/${path}`, { note: given('note') });
        ordered();
        return '';
      }}
    >
      <Field name="note" label="Why" maxLength={500} />
    </Order>
  );
}
