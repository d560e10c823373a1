/** Whom a payout pays, and what became of each payment. */
import { useState } from 'preact/hooks';
import { Amount } from '../../parts/amount.js';
import { CopyButton } from '../../parts/controls/copy.js';
import { Slices } from '../../parts/controls/slices.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import { State } from '../../parts/state.js';
import { Waiting } from '../../parts/waiting.js';
import { Who } from '../../parts/who.js';
import type { ChainTransaction, PaidLine, Payout } from '../../reading/answers.js';
import { useAnswer } from '../../use/reading.js';
import { useSession } from '../../use/session.js';
import { amount } from '../../words/money.js';
import { shortName } from '../../words/names.js';
import { lineState } from '../../words/payouts.js';
import { Mark, Settle } from './mark.js';
import { useTransactions } from './steps.js';

const LINES = 100;

interface LinesProps {
  readonly payout: Payout;
  /** Nothing has become of them yet. */
  readonly isPlan?: boolean;
}

interface Row extends PaidLine {
  /** The latest that makes it. */
  readonly transaction: ChainTransaction | undefined;
}

export function Lines({ payout, isPlan = false }: LinesProps) {
  const { id, name } = payout;
  const [offset, setOffset] = useState(0);
  const { may } = useSession();
  const asked = useAnswer<{ total: number; lines: readonly PaidLine[] }>(
    `/api/v1/payouts/${id}/lines?offset=${offset}&limit=${LINES}`,
  );
  const transactions = useTransactions(id)?.transactions ?? [];
  const { value } = asked;
  if (!value) return <Waiting {...asked} />;
  const rows = value.lines.map((line) => ({
    ...line,
    transaction: transactions.find((one) => one.account === line.account && one.chainId === line.chainId),
  }));
  const columns = [...WHOM, ...(isPlan ? [] : CAME)];
  return (
    <>
      <DataTable
        label={`Lines of payout ${name}`}
        columns={!isPlan && may('admin') ? [...columns, byHand(payout)] : columns}
        rows={rows}
        keyOf={({ account, chainId }) => `${account} ${chainId}`}
      />
      <Slices
        what="Lines of the payout"
        total={value.total}
        size={LINES}
        offset={offset}
        change={setOffset}
      />
    </>
  );
}

const WHOM: readonly Column<Row>[] = [
  { title: 'Account', show: ({ account }) => <Who account={account} /> },
  { title: 'Amount', look: 'number', show: (line) => <Amount of={line.amount} isBare /> },
  { title: 'Chain', look: 'number', show: ({ chainId }) => chainId ?? 'any' },
];

const CAME: readonly Column<Row>[] = [
  { title: 'State', show: (line) => <State {...lineState(line, line.transaction)} /> },
  { title: 'Evidence', look: 'wide', show: (line) => <Evidence line={line} /> },
];

function byHand(payout: Payout): Column<Row> {
  return {
    title: 'By hand',
    look: 'row',
    show: (line) => {
      if (payout.hash === null) return <Mark payout={payout} line={line} />;
      const isOpen = line.state === 'prepared' || line.state === 'unknown';
      return isOpen && line.transaction && <Settle id={line.transaction.line} account={line.account} />;
    },
  };
}

/** By what one knows the state, in words. */
function Evidence({ line: { state, note, changedAt, requestKey, transaction } }: { line: Row }) {
  const key = requestKey ?? transaction?.requestKey;
  const whys = [transaction?.why, note].filter(Boolean);
  return (
    <div class="evidence">
      {transaction ? (
        <span>
          <Happened transaction={transaction} />
        </span>
      ) : (
        state !== 'prepared' && <Age at={changedAt} />
      )}
      {key && (
        <span class="request-key">
          <span class="unseen">Request key</span>
          <code title={`Request key ${key}`}>{shortName(key)}</code>
          <CopyButton text={key} what="the request key" />
        </span>
      )}
      {whys.length > 0 && <span class="aside long">{whys.join('; ')}</span>}
    </div>
  );
}

function Happened({
  transaction: { state, sentAt, builtAt, height, gas },
}: {
  transaction: ChainTransaction;
}) {
  return (
    <>
      {sentAt === null ? 'signed ' : 'sent '}
      <Age at={sentAt ?? builtAt} />
      {state === 'dead' && ', in no block in time'}
      {state === 'failed' && ', failed'}
      {height !== null && `, in block ${height}`}
      {gas !== null && `, gas ${amount(gas)}`}
    </>
  );
}
