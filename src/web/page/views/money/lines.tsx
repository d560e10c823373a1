/** Whom a payout pays; of one on chain what somebody approves of it, and the evidence of each payment. */
import { useState } from 'preact/hooks';
import { Copy } from '../../parts/controls/copy.js';
import { AccountLink } from '../../parts/controls/links.js';
import { Order } from '../../parts/controls/order.js';
import { DataTable } from '../../parts/data-table.js';
import { Slices } from '../../parts/figures/slices.js';
import { Waiting } from '../../parts/waiting.js';
import type { Evidence, PaidLine, Payout } from '../../reading/answers.js';
import { useAsked } from '../../use/reading.js';
import { useSession } from '../../use/session.js';
import { amount } from '../../words/money.js';
import { isUnapproved, PAYMENT_STATES } from '../../words/payouts.js';
import { inFull } from '../../words/times.js';
import { Noted } from './noted.js';

const EVERY_MS = 5_000;
const LINES = 100;

interface LinesProps {
  readonly payout: Payout;
  ordered(): void;
}

export function Lines({ payout, ordered }: LinesProps) {
  const { id, name } = payout;
  const [offset, setOffset] = useState(0);
  const [open, setOpen] = useState('');
  const path = `/api/v1/payouts/${id}/lines?offset=${offset}&limit=${LINES}`;
  const asked = useAsked<{ total: number; lines: readonly PaidLine[] }>(path, EVERY_MS, (ask, signal) =>
    ask.json(path, signal),
  );
  const { value } = asked;
  return (
    <>
      <Approval payout={payout} ordered={ordered} />
      <Waiting {...asked} />
      {value && (
        <>
          <DataTable
            label={`Lines of payout ${name}`}
            columns={[
              { title: 'Account', look: 'name', show: ({ account }) => <AccountLink account={account} /> },
              { title: 'Amount', look: 'number', show: (line) => amount(line.amount) },
              { title: 'Chain', look: 'number', show: ({ chainId }) => chainId },
              {
                title: 'State',
                look: 'is-extra',
                show: (line) =>
                  line.transaction === null ? (
                    PAYMENT_STATES[line.state]
                  ) : (
                    <button
                      type="button"
                      class="opener"
                      aria-expanded={line.id === open}
                      aria-label={`${PAYMENT_STATES[line.state]}: evidence of payment ${line.id}`}
                      onClick={() => setOpen(line.id === open ? '' : line.id)}
                    >
                      {PAYMENT_STATES[line.state]}
                    </button>
                  ),
              },
            ]}
            rows={value.lines}
            keyOf={(line) => line.id}
            below={(line) => line.id === open && <Proof id={line.id} />}
          />
          <Slices
            what="Lines of the payout"
            total={value.total}
            size={LINES}
            offset={offset}
            change={setOffset}
          />
        </>
      )}
    </>
  );
}

function Approval({ payout, ordered }: LinesProps) {
  const { may } = useSession();
  const { id, name, approval, contentHash } = payout;
  if (!isUnapproved(payout) || !approval) return null;
  return (
    <>
      <p>
        It waits for approval ({approval.why}): {approval.given} of {approval.needed} are given. Content hash{' '}
        <code class="long">{contentHash}</code>
      </p>
      {may('approve') && (
        <div class="orders">
          <Order
            words="Approve"
            label={`Approve payout ${name}`}
            asks={`${amount(payout.total)} are paid on chain by the lines below.`}
            confirm="Approve it"
            give={async (ask) => {
              await ask.order('POST', `/api/v1/payouts/${id}/approve`, { hash: contentHash });
              ordered();
              return '';
            }}
          />
          <Noted
            words="Reject"
            label={`Reject payout ${name}`}
            asks="Its amounts are back in the balances, and in the next payout."
            path={`${id}/reject`}
            ordered={ordered}
          />
        </div>
      )}
    </>
  );
}

function Proof({ id }: { id: string }) {
  const path = `/api/v1/payments/${id}/evidence`;
  const asked = useAsked<Evidence>(path, EVERY_MS, (ask, signal) => ask.json(path, signal));
  const { value } = asked;
  if (!value) return <Waiting {...asked} />;
  const { requestKey, chainId, blockHeight, blockHash } = value.line;
  return (
    <>
      {blockHash !== null && (
        <p>
          <Copy text={JSON.stringify({ requestKey, chainId, blockHeight, blockHash })} what="the proof" />
        </p>
      )}
      <ul>
        {value.events.map(({ at, was, now, by, evidence }) => (
          <li key={`${at} ${now}`} class="long">
            {inFull(Date.parse(at))}: {was} → {now}, by {by} {JSON.stringify(evidence)}
          </li>
        ))}
      </ul>
    </>
  );
}
