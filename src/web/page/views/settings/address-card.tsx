/** From where rigs may come: addresses that the settings list, and those that were ordered, which are changed here. */

import { useState } from 'preact/hooks';
import { Card } from '../../parts/card.js';
import { Field, Order } from '../../parts/controls/order.js';
import type { ListedAddresses, Setting } from '../../reading/answers.js';
import { listAddresses, listWords } from '../../reading/orders.js';
import { useAsked } from '../../use/reading.js';
import { useSession } from '../../use/session.js';
import { type Listed, listedBySettings } from '../../words/addresses.js';

interface AddressCardProps {
  /** Absent while they are asked for. */
  readonly settings: readonly Setting[] | undefined;
}

interface OrderedList {
  readonly addresses: readonly ListedAddresses[];
}

const EVERY_MS = 5_000;

export function AddressCard({ settings = [] }: AddressCardProps) {
  const { may } = useSession();
  const [orders, setOrders] = useState(0);
  const asked = useAsked<OrderedList>(`addresses ${orders}`, EVERY_MS, (ask, signal) =>
    // More are never ordered.
    ask.json('/api/v1/addresses?limit=1000', signal),
  );
  return (
    <Card id="addresses" title="Where rigs may come from" asked={asked}>
      {asked.value && <Lists rows={[...listedBySettings(settings), ...asked.value.addresses.map(rowOf)]} />}
      {may('operate') && <Change changed={() => setOrders((before) => before + 1)} />}
    </Card>
  );
}

function rowOf({ list, addresses, by }: ListedAddresses): Listed {
  return { list, addresses, from: `ordered by ${by}` };
}

function Lists({ rows }: { rows: readonly Listed[] }) {
  const isAny = rows.some(({ list }) => list === 'allow');
  return (
    <>
      <ul class="nodes tall">
        {rows.map((row) => (
          <li key={JSON.stringify(row)} class="long">
            {row.addresses}{' '}
            <span class="aside">
              {listWords(row.list)}, {row.from}
            </span>
          </li>
        ))}
      </ul>
      <p>
        {isAny
          ? 'Rigs may connect from no other address.'
          : `Rigs may connect from any ${rows.length === 0 ? '' : 'other '}address.`}
      </p>
    </>
  );
}

function Change({ changed }: { changed(): void }) {
  return (
    <Order
      words="Change the lists"
      asks="Who may not come any more is closed. Once any is allowed, others are not."
      confirm="Change"
      give={async (ask, given) => {
        const words = await listAddresses(ask, given('what'), given('addresses'));
        changed();
        return words;
      }}
    >
      <label class="field">
        What
        <select name="what">
          <option>deny</option>
          <option>allow</option>
          <option>deny no more</option>
          <option>allow no more</option>
        </select>
      </label>
      <Field name="addresses" label="Address or prefix" maxLength={60} />
    </Order>
  );
}
