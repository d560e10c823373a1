/** Whom a payout pays. */
import { useState } from 'preact/hooks';
import { AccountLink } from '../../parts/controls/links.js';
import { DataTable } from '../../parts/data-table.js';
import { Slices } from '../../parts/figures/slices.js';
import { Waiting } from '../../parts/waiting.js';
import type { PaidLine, Payout } from '../../reading/answers.js';
import { useAsked } from '../../use/reading.js';
import { amount } from '../../words/money.js';
import { PAYMENT_STATES } from '../../words/payouts.js';

const EVERY_MS = 5_000;
const LINES = 100;

export function Lines({ payout: { id, name } }: { payout: Payout }) {
  const [offset, setOffset] = useState(0);
  const path = `/api/v1/payouts/${id}/lines?offset=${offset}&limit=${LINES}`;
  const asked = useAsked<{ total: number; lines: readonly PaidLine[] }>(path, EVERY_MS, (ask, signal) =>
    ask.json(path, signal),
  );
  const { value } = asked;
  if (!value) return <Waiting {...asked} />;
  return (
    <>
      <DataTable
        label={`Lines of payout ${name}`}
        columns={[
          { title: 'Account', look: 'name', show: ({ account }) => <AccountLink account={account} /> },
          { title: 'Amount', look: 'number', show: (line) => amount(line.amount) },
          { title: 'Chain', look: 'number', show: ({ chainId }) => chainId },
          { title: 'State', look: 'is-extra', show: ({ state }) => PAYMENT_STATES[state] },
        ]}
        rows={value.lines}
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
