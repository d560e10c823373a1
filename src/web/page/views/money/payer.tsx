/** Who pays on chain, what it waits for, and why it is paused. */
import { Card } from '../../parts/card.js';
import { Field, Order } from '../../parts/controls/order.js';
import type { PayerView } from '../../reading/answers.js';
import type { Ask } from '../../reading/ask.js';
import { type Asked, useAsked } from '../../use/reading.js';
import { useSession } from '../../use/session.js';

const PATH = '/api/v1/ledger/payer';
const EVERY_MS = 5_000;

interface Answer {
  readonly payer: readonly PayerView[];
}

export function usePayer(orders: number): Asked<Answer> {
  return useAsked<Answer>(`${PATH} ${orders}`, EVERY_MS, (ask, signal) => ask.json(PATH, signal));
}

interface PayerProps {
  readonly asked: Asked<Answer>;
  ordered(): void;
}

export function Payer({ asked, ordered }: PayerProps) {
  const { may } = useSession();
  const [payer] = asked.value?.payer ?? [];
  // Of a pool that pays by hand there is nothing to say.
  if (!payer || payer.account === null) return null;
  const give = (path: string) => async (ask: Ask, given: (name: string) => string) => {
    await ask.order('POST', `${PATH}/${path}`, { note: given('note') });
    ordered();
    return '';
  };
  return (
    <Card id="payer" title="Paid on chain" asked={asked}>
      {payer.words.map((words) => (
        <p key={words} class={/^(paused|danger)/.test(words) ? 'problem long' : 'long'}>
          {words}
        </p>
      ))}
      <p class="note long">Paid from {payer.account}</p>
      {payer.pauses.length > 0 && may('admin') && (
        <Order
          words="Resume payments"
          asks="Payments go on, whatever they were paused for."
          confirm="Resume them"
          give={give('resume')}
        >
          <Field name="note" label="Why" maxLength={500} />
        </Order>
      )}
      {payer.pauses.length === 0 && may('approve') && (
        <Order
          words="Pause payments"
          asks="Nothing more is built, signed or sent for the first time. What was sent is sent again."
          confirm="Pause them"
          give={give('pause')}
        >
          <Field name="note" label="Why" maxLength={500} />
        </Order>
      )}
    </Card>
  );
}
