import { useState } from 'preact/hooks';
import { Card } from '../../parts/card.js';
import { AccountLink } from '../../parts/controls/links.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import { Slices } from '../../parts/figures/slices.js';
import type { ListedAccount } from '../../reading/answers.js';
import { useAsked } from '../../use/reading.js';
import { amount } from '../../words/money.js';

interface AccountList {
  readonly total: number;
  readonly isComplete: boolean;
  readonly accounts: readonly ListedAccount[];
}

type Book = keyof NonNullable<ListedAccount['money']>;

const EVERY_MS = 5_000;
const ROWS = 100;

const book = (name: Book, title: string, look = 'number'): Column<ListedAccount> => ({
  title,
  look,
  show: ({ money }) => (money ? amount(money[name]) : '–'),
});

const COLUMNS: readonly Column<ListedAccount>[] = [
  { title: 'Account', look: 'name', show: ({ account }) => <AccountLink account={account} /> },
  book('due', 'Due'),
  book('expected', 'Expected', 'number is-extra'),
  book('paying', 'In a payout', 'number is-extra'),
  book('paid', 'Paid'),
  {
    title: 'Last share',
    look: 'number is-extra',
    show: ({ lastShareAt }) => (lastShareAt ? <Age at={lastShareAt} /> : '–'),
  },
];

export function Balances({ orders }: { orders: number }) {
  const [offset, setOffset] = useState(0);
  const path = `/api/v1/accounts?offset=${offset}&limit=${ROWS}`;
  const asked = useAsked<AccountList>(`${path} ${orders}`, EVERY_MS, (ask, signal) => ask.json(path, signal));
  const { value, isOld } = asked;
  return (
    <Card id="balances" title="Accounts" asked={asked}>
      {value?.isComplete === false && (
        <p class="quiet">The ledger does not answer now: what is due, and to whom else, is not known.</p>
      )}
      {value?.total === 0 && <p>No account has mined here, and none has money in the books.</p>}
      {value && value.total > 0 && (
        <>
          <DataTable
            label="Table of accounts"
            columns={COLUMNS}
            rows={value.accounts}
            keyOf={({ account }) => account}
            isBusy={isOld}
          />
          <Slices
            what="Pages of accounts"
            total={value.total}
            size={ROWS}
            offset={offset}
            change={setOffset}
          />
          <p class="note">
            Those that mine at this bridge, then all others of the books. <b>Due</b> can be paid;{' '}
            <b>expected</b> is of blocks that are not confirmed.
          </p>
        </>
      )}
    </Card>
  );
}
