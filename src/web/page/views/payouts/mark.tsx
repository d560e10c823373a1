/** What became of payments, said by hand: of those that a wallet pays, and of one on chain of which no block can say it any more. */
import { Field, Note, Order } from '../../parts/orders/order.js';
import type { PaidLine, Payout } from '../../reading/answers.js';
import { shortName } from '../../words/names.js';

type Outcomes = readonly (readonly [string, string])[];

const SENT = ['sent', 'Sent'] as const;
const CONFIRMED = ['confirmed', 'Confirmed: seen on its chain (final)'] as const;
const UNKNOWN = ['unknown', 'Unknown: neither due nor paid until you know'] as const;
const FAILED = ['failed', 'Failed: nothing was sent, it is due again (final)'] as const;
/** By the state of what is marked. */
const FROM: Readonly<Record<PaidLine['state'], Outcomes>> = {
  prepared: [SENT, UNKNOWN, FAILED],
  unknown: [SENT, FAILED],
  sent: [CONFIRMED],
  confirmed: [],
  failed: [],
};
/** What was sent is taken back one by one. */
const FROM_SENT: Outcomes = [CONFIRMED, UNKNOWN, FAILED];

interface MarkProps {
  readonly payout: Payout;
  /** Only this payment of it. */
  readonly line?: PaidLine;
}

export function Mark({ payout: { id, name, state }, line }: MarkProps) {
  const outcomes = line?.state === 'sent' ? FROM_SENT : FROM[line?.state ?? state];
  if (outcomes.length === 0) return null;
  return (
    <Order
      words={line ? 'Mark' : 'Mark payout'}
      look={line ? undefined : 'primary'}
      label={line ? `Mark the payment to ${shortName(line.account)}` : `Mark payout ${name}`}
      asks="Where something failed that was sent after all, it is paid twice: look at its chain first."
      confirm="Mark it"
      path={`/api/v1/payouts/${id}/mark`}
      body={(fields) => ({ ...fields, line: line && [line.account] })}
      said={() => `${line ? `The payment to ${shortName(line.account)}` : `Payout ${name}`} is marked`}
    >
      <Outcome outcomes={outcomes} />
      {line && (
        <Field name="requestKey" label="Request key, where one is known" maxLength={100} isNeeded={false} />
      )}
      <Field name="note" label="Note, such as the transaction" maxLength={500} isNeeded={false} />
    </Order>
  );
}

const SETTLED: Outcomes = [
  ['paid', 'A transaction paid it, which has the request key below'],
  ['notPaid', 'Nothing paid it: it is due again'],
];

/** @param id of the line. */
export function Settle({ id, account }: { id: string; account: string }) {
  return (
    <Order
      words="Settle"
      label={`Settle the payment to ${shortName(account)}`}
      asks="Only for what no block can say any more. Where a block has it after all, it is paid twice."
      confirm="Settle it"
      path={`/api/v1/ledger/lines/${id}/settle`}
      body={({ outcome, requestKey, note }) => ({
        note,
        ...(outcome === 'paid' ? { paid: requestKey } : { notPaid: true }),
      })}
      said={() => `The payment to ${shortName(account)} is settled`}
    >
      <Outcome outcomes={SETTLED} />
      <Field name="requestKey" label="Request key" maxLength={100} isNeeded={false} />
      <Note label="Why" />
    </Order>
  );
}

function Outcome({ outcomes }: { outcomes: Outcomes }) {
  return (
    <label class="field">
      What became of it
      <select name="outcome">
        {outcomes.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
