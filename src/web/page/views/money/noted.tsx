/** An order about payouts on chain that says why. */
import { Field, Order } from '../../parts/controls/order.js';

interface NotedProps {
  readonly words: string;
  readonly label: string;
  readonly asks: string;
  readonly path: string;
  /** What else the order says. */
  readonly more?: object;
  ordered(): void;
}

export function Noted({ words, label, asks, path, more, ordered }: NotedProps) {
  return (
    <Order
      words={words}
      label={label}
      asks={asks}
      confirm={words}
      give={async (ask, given) => {
        await ask.order('POST', `/api/v1/payouts/${path}`, { ...more, note: given('note') });
        ordered();
        return '';
      }}
    >
      <Field name="note" label="Why" maxLength={500} />
    </Order>
  );
}
