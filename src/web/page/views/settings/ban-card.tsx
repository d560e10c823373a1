/** Who is banned, by whom and until when, and the order that bans. */
import { useState } from 'preact/hooks';
import type { Column } from '../../parts/data-table.js';
import { Age, Until } from '../../parts/figures/age.js';
import { BanOrder, LiftBan } from '../../parts/orders/bans.js';
import { Field } from '../../parts/orders/order.js';
import { Who } from '../../parts/who.js';
import type { Ban } from '../../reading/answers.js';
import { useSeen } from '../../use/reading.js';
import { loginOf } from '../../words/names.js';
import { OrderedCard } from './ordered-card.js';

const COLUMNS: readonly Column<Ban>[] = [
  { title: 'Who', show: (ban) => <Whom ban={ban} /> },
  { title: 'Why', look: 'wide', show: ({ reason }) => <bdi class="long">{reason}</bdi> },
  { title: 'Until', show: ({ until }) => (until === null ? 'lifted' : <Until at={until} />) },
  { title: 'Since', show: ({ since }) => <Age at={since} /> },
  { title: 'By', show: ({ by }) => <bdi>{by ?? 'the bridge'}</bdi> },
];
const BRIDGE: Column<Ban> = { title: 'Bridge', show: ({ bridge }) => bridge ?? 'all' };

export function BanCard() {
  const { summary } = useSeen();
  const isOneOfSeveral = (summary?.bridges.length ?? 0) > 1;
  return (
    <OrderedCard<Ban>
      name="bans"
      title="Bans"
      none="Nobody is banned."
      columns={isOneOfSeveral ? [...COLUMNS, BRIDGE] : COLUMNS}
      keyOf={({ id, bridge }) => `${id} ${bridge}`}
      takeBack={(ban) => <LiftBan ban={ban} isOneOfMany />}
      add={<Add />}
    />
  );
}

function Whom({ ban: { kind, login = '', address } }: { ban: Ban }) {
  if (kind === 'address') return <code class="long">{address}</code>;
  if (kind === 'account') return <Who account={login} />;
  const { account, rig } = loginOf(login);
  return (
    <>
      <Who account={account} rig={rig} />
      <span class="line aside">
        of <Who account={account} />
        {address !== undefined && (
          <>
            {' '}
            at <code>{address}</code>
          </>
        )}
      </span>
    </>
  );
}

const WAYS = {
  address: 'Whoever comes from an address',
  account: 'All rigs of an account',
  login: 'A rig, wherever it comes from',
  rig: 'A rig at one address',
} as const satisfies Record<Ban['kind'], string>;

function Add() {
  const [kind, setKind] = useState<Ban['kind']>('address');
  const isRig = kind === 'login' || kind === 'rig';
  return (
    <BanOrder
      words="Ban"
      asks="Sessions are closed, and whoever is banned is not let in again until the time is over or somebody lifts the ban."
      whom={({ login = '', ...fields }) => ({ ...fields, ...(isRig && loginOf(login)) })}
    >
      <label class="field">
        Whom
        <select
          name="kind"
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as Ban['kind'])}
        >
          {Object.entries(WAYS).map(([each, words]) => (
            <option key={each} value={each}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {kind === 'account' && <Field name="account" label="Account" maxLength={128} />}
      {isRig && <Field name="login" label="Account.rig" placeholder="k:….cellar" maxLength={200} />}
      {(kind === 'address' || kind === 'rig') && (
        <Field name="address" label="Address" placeholder="192.0.2.7" maxLength={60} />
      )}
    </BanOrder>
  );
}
