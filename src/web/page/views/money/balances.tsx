import { useState } from 'preact/hooks';
import { Age } from '../../parts/age.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { AccountLink } from '../../parts/links.js';
import { Slices } from '../../parts/slices.js';
import type { ListedAccount } from '../../reading/answers.js';
import { useAsked } from '../../use/reading.js';
import { amount } from '../../words/money.js';
import { endedSentence } from '../../words/sentences.js';

interface AccountList {
  readonly total: number;
  readonly isComplete: boolean;
  readonly accounts: readonly ListedAccount[];
}

type Book = keyof NonNullable<ListedAccount['money']>;

const EVERY_MS = 5_000;
const ROWS = 100;

const book = (name: Book, title: string, isExtra = false): Column<ListedAccount> => ({
  title,
  isNumber: true,
  isExtra,
  show: ({ money }) => (money ? amount(money[name]) : '–'),
});

const COLUMNS: readonly Column<ListedAccount>[] = [
  { title: 'Account', isName: true, show: ({ account }) => <AccountLink account={account} /> },
  book('balance', 'Due'),
  book('held', 'Held', true),
  book('paying', 'In a payout', true),
  book('paid', 'Paid'),
  {
    title: 'Last share',
    isNumber: true,
    isExtra: true,
    show: ({ lastShareAt }) => (lastShareAt ? <Age at={lastShareAt} /> : '–'),
  },
];

export function Balances({ orders }: { orders: number }) {
  const [offset, setOffset] = useState(0);
  const path = `/api/v1/accounts?offset=${offset}&limit=${ROWS}`;
  const { value, fault, isOld } = useAsked<AccountList>(`${path} ${orders}`, EVERY_MS, (ask, signal) =>
    ask.json(path, signal),
  );
  return (
    <section class="card" aria-labelledby="balances">
      <h2 id="balances">Accounts</h2>
      {fault && <p class="quiet">{endedSentence(fault)}</p>}
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
            Those that mine at this bridge, then all others of the books. <b>Due</b> can be paid; <b>held</b>{' '}
            is of blocks that are not confirmed.
          </p>
        </>
      )}
    </section>
  );
}
