/** From where rigs may come: addresses that the settings list, and those that were ordered, which are changed here. */
import type { Column } from '../../parts/data-table.js';
import { Field, Order } from '../../parts/orders/order.js';
import { State } from '../../parts/state.js';
import type { AddressesOrdered, ListName, Setting } from '../../reading/answers.js';
import { useAnswer } from '../../use/reading.js';
import { type Listed, listedBySettings } from '../../words/addresses.js';
import { counted } from '../../words/numbers.js';
import { OrderedCard } from './ordered-card.js';

const LISTED: Readonly<Record<ListName, string>> = { allow: 'allowed', deny: 'denied' };

const COLUMNS: readonly Column<Listed>[] = [
  { title: 'Address', show: ({ addresses }) => <code>{addresses}</code> },
  {
    title: 'May connect',
    show: ({ list }) => <State of={list === 'allow' ? 'up' : 'banned'} words={LISTED[list]} />,
  },
  { title: 'By', show: ({ by, from }) => (from ? <code>{from}</code> : <bdi>{by}</bdi>) },
];

export function AddressCard() {
  const { settings = [] } = useAnswer<{ settings: readonly Setting[] }>('/api/v1/settings').value ?? {};
  return (
    <OrderedCard<Listed>
      name="addresses"
      title="Where rigs may come from"
      none="Rigs may connect from any address."
      columns={COLUMNS}
      before={listedBySettings(settings)}
      keyOf={({ list, addresses, from }) => `${list} ${addresses} ${from}`}
      takeBack={(row) => row.from === undefined && <Remove listed={row} />}
      add={
        <>
          <Add
            list="allow"
            words="Allow"
            asks="While any address is allowed, rigs connect from no other; sessions from elsewhere are closed."
          />
          <Add
            list="deny"
            words="Deny"
            asks="Rigs connect from there no more, and their sessions are closed."
          />
        </>
      }
    >
      <p class="note">While any address is allowed, no other may connect. Denied wins over allowed.</p>
    </OrderedCard>
  );
}

const CHANGE = { method: 'PUT', path: '/api/v1/addresses' } as const;

function Remove({ listed: { list, addresses } }: { listed: Listed }) {
  return (
    <Order
      {...CHANGE}
      words="Remove"
      label={`Remove ${addresses} from those ${LISTED[list]}`}
      asks="What the other lines say holds at once; who may not be here any more is closed."
      confirm="Remove"
      body={() => ({ list, addresses, isOn: false })}
      said={changed}
    />
  );
}

function Add({ list, words, asks }: { list: ListName; words: string; asks: string }) {
  return (
    <Order
      {...CHANGE}
      words={words}
      label={`${words} an address`}
      asks={asks}
      confirm={words}
      body={(fields) => ({ ...fields, list, isOn: true })}
      said={changed}
    >
      <Field name="addresses" label="Address or prefix" placeholder="192.0.2.0/24" maxLength={60} />
    </Order>
  );
}

function changed({ list, addresses, isOn, closed }: AddressesOrdered): string {
  const state = `${LISTED[list]}${isOn ? '' : ' by order no more'}`;
  return `${addresses} is ${state}; ${counted(closed, 'session')} closed`;
}
