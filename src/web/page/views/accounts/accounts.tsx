/** Accounts that mine here or have money: searched by name, a slice at a time, the fastest first. */
import { useState } from 'preact/hooks';
import { Amount } from '../../parts/amount.js';
import { SearchField } from '../../parts/controls/search-field.js';
import { Slices } from '../../parts/controls/slices.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import { Rate } from '../../parts/figures/rate.js';
import { Waiting } from '../../parts/waiting.js';
import { Who } from '../../parts/who.js';
import type { AccountList, ListedAccount } from '../../reading/answers.js';
import { hashOf, type Route } from '../../route.js';
import { useAnswer } from '../../use/reading.js';
import { replaceHash } from '../../use/route.js';
import { count, counted } from '../../words/numbers.js';

const SIZE = 100;
/** Of the windows of a rate: five minutes. */
const FIVE_MINUTES = 1;

export function Accounts({ route }: { route: Route }) {
  const q = route.params.get('q')?.trim() ?? '';
  const [place, setPlace] = useState({ q, offset: 0 });
  // Another search begins at its first page.
  const offset = place.q === q ? place.offset : 0;
  const query = new URLSearchParams({ ...(q && { q }), offset: String(offset), limit: String(SIZE) });
  const asked = useAnswer<AccountList>(`/api/v1/accounts?${query}`);
  const { value, isOld } = asked;
  return (
    <>
      <div class="tools">
        <SearchField
          q={q}
          label="Search accounts"
          hint="Name of an account"
          change={(typed) => replaceHash(hashOf('accounts', { q: typed.trim() }))}
        />
        <p class="quiet" role="status">
          {value && !isOld && `${counted(value.total, 'account')}${q === '' ? '' : ' found'}`}
        </p>
      </div>
      <div class="card">
        <Waiting {...asked} />
        {value?.total === 0 && (
          <p class="long">
            {q === ''
              ? 'No account yet: one comes with the first rig.'
              : `No account has “${q}” in its name.`}
          </p>
        )}
        {value && value.total > 0 && (
          <DataTable
            label="Accounts"
            columns={COLUMNS}
            rows={value.accounts}
            keyOf={({ account }) => account}
            isBusy={isOld}
          />
        )}
        {value && !value.isComplete && (
          <p class="note">The ledger does not answer: money, and accounts that only it knows, are missing.</p>
        )}
        {value && (
          <Slices
            what="Pages of accounts"
            total={value.total}
            size={SIZE}
            offset={offset}
            change={(to) => setPlace({ q, offset: to })}
          />
        )}
      </div>
    </>
  );
}

const ofMoney = (title: string, key: 'due' | 'expected' | 'paid'): Column<ListedAccount> => ({
  ...{ title, look: 'number' },
  show: ({ money }) => money && <Amount of={money[key]} />,
});

const COLUMNS: readonly Column<ListedAccount>[] = [
  { title: 'Account', show: ({ account }) => <Who account={account} /> },
  {
    ...{ title: 'Hash rate', look: 'number' },
    show: ({ hashRates }) => <Rate rate={hashRates[FIVE_MINUTES]} />,
  },
  { title: 'Sessions', look: 'number', show: ({ sessions }) => count(sessions) },
  {
    ...{ title: 'Last share', look: 'number' },
    show: ({ lastShareAt }) => lastShareAt && <Age at={lastShareAt} />,
  },
  ofMoney('Due', 'due'),
  ofMoney('Expected', 'expected'),
  ofMoney('Paid', 'paid'),
];
