/** Who pays on chain: whether it is paused and why, its chains with their coins, and who is held. */
import { Card } from '../../parts/card.js';
import { DataTable } from '../../parts/data-table.js';
import type { Payer as PayerState } from '../../reading/answers.js';
import { useAsked } from '../../use/reading.js';
import { useSession } from '../../use/session.js';
import { amount } from '../../words/money.js';
import { inFull } from '../../words/times.js';
import { Noted } from './noted.js';

const PATH = '/api/v1/payouts/payer';
const EVERY_MS = 5_000;

interface PayerProps {
  readonly orders: number;
  ordered(): void;
}

export function Payer({ orders, ordered }: PayerProps) {
  const { may } = useSession();
  const asked = useAsked<PayerState>(`${PATH} ${orders}`, EVERY_MS, (ask, signal) => ask.json(PATH, signal));
  const { value } = asked;
  // Of a pool that pays by hand there is nothing to say.
  if (!value || (!value.isPaying && !value.account)) return null;
  const { paused, chains, holds, isPaying, next, account, lastRun, nextRun, whyNot } = value;
  return (
    <Card id="payer" title="Paid on chain" asked={asked}>
      {paused && (
        <p class="problem">
          Paused since {timeOf(paused.since)} by {paused.by}: {paused.says}. What to do: {paused.advice}.
        </p>
      )}
      <p>
        {isPaying ? `Paid from ${account}` : 'No bridge pays now'}. Last run {timeOf(lastRun)}, next run{' '}
        {timeOf(nextRun)}. {whyNot}
      </p>
      {next.map((step) => (
        <p key={step} class="long">
          {step}
        </p>
      ))}
      <DataTable
        label="Table of paying chains"
        columns={[
          { title: 'Chain', show: ({ chainId }) => chainId },
          { title: 'Coins', look: 'number', show: ({ coins }) => amount(coins ?? '–') },
          { title: 'Waiting', look: 'number', show: ({ waiting }) => amount(waiting) },
          { title: 'Trouble', show: ({ trouble }) => trouble },
        ]}
        rows={chains}
        keyOf={({ chainId }) => chainId}
      />
      {holds.map((held) => (
        <div key={`${held.account} ${held.chainId}`} class="orders">
          <p class="long">
            {held.account} is held{held.chainId !== null && ` on chain ${held.chainId}`}: {held.note}
          </p>
          {may('admin') && (
            <Noted
              words="Allow"
              label={`Allow ${held.account}`}
              asks="It is paid again, from the next payout on."
              path="payer/allow"
              more={{ account: held.account, chain: held.chainId ?? undefined }}
              ordered={ordered}
            />
          )}
        </div>
      ))}
      {paused && may('admin') && (
        <Noted
          words="Resume payouts"
          label="Resume payouts"
          asks="Payouts go on, if the checks of money hold."
          path="payer/resume"
          ordered={ordered}
        />
      )}
      {!paused && may('approve') && (
        <Noted
          words="Pause payouts"
          label="Pause payouts"
          asks="Nothing new is built, signed or sent. What is on its way is followed."
          path="payer/pause"
          ordered={ordered}
        />
      )}
    </Card>
  );
}

function timeOf(at: string | null): string {
  return at ? inFull(Date.parse(at)) : 'not planned';
}
