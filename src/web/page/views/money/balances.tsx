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
  { title: 'Last share', isNumber: true, isExtra: true, show: ({ lastShareAt }) => <Age at={lastShareAt} /> },
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
      {value?.total === 0 && (
        <p>
          No account has mined here since this bridge was started. What others have is in the books all the
          same, and in the next payout: <code>stratum-bridge ledger accounts</code> lists every one.
        </p>
      )}
      {value && value.total > 0 && (
        <>
          {value.accounts.some(({ money }) => money === null) && (
            <p class="quiet">The ledger does not answer now: what is due is not known.</p>
          )}
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
            Accounts whose rigs have mined at this bridge since its start. <b>Due</b> can be paid; <b>held</b>{' '}
            is of blocks that are not confirmed.
          </p>
        </>
      )}
    </section>
  );
}
