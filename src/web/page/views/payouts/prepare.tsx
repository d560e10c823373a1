/** What makes a payout, stops payments, or enters one that the ledger does not know. */
import { Menu } from '../../parts/orders/menu.js';
import { Field, Note, Order } from '../../parts/orders/order.js';
import type { PayerView, Payout } from '../../reading/answers.js';
import { useSession } from '../../use/session.js';

interface PayoutActionsProps {
  readonly payer: PayerView | undefined;
  readonly open: readonly Payout[] | undefined;
  /** Opens the one with this number. */
  show(id: string): void;
}

export function PayoutActions({ payer, open, show }: PayoutActionsProps) {
  const { may } = useSession();
  if (!may('approve'))
    return (
      <p class="note">
        Sign in with a token that approves, or use <code>stratum-bridge ledger payout</code>.
      </p>
    );
  const hasPayer = payer !== undefined && payer.account !== null;
  return (
    <div class="tools">
      {payer?.isPaying ? <PayNow /> : <Prepare open={open} show={show} />}
      {(hasPayer || may('admin')) && (
        <Menu words="More">
          {hasPayer && payer.pauses.length === 0 && <Pause />}
          {may('admin') && <Enter />}
          {hasPayer && may('admin') && <Rebind />}
        </Menu>
      )}
    </div>
  );
}

function PayNow() {
  return (
    <Order
      words="Pay what is due"
      asks="The bridge that pays makes a payout of all balances from the minimum up, now and not only at its schedule."
      confirm="Ask for it"
      path="/api/v1/ledger/payer/ask"
      said={() => 'A payout is asked for'}
    />
  );
}

/** It stays where it is once one is prepared: preparing again gives the same one. */
function Prepare({ open, show }: Omit<PayoutActionsProps, 'payer'>) {
  const prepared = open?.find(({ hash, state }) => hash === null && state === 'prepared');
  return (
    <Order<{ payout: Payout | null }>
      words="Prepare a payout"
      look={prepared ? undefined : 'primary'}
      asks={
        prepared
          ? `Payout ${prepared.name} is prepared already, and is the one that this gives: say what became of it before the next one.`
          : 'All balances from the minimum up are set aside for it. Nothing is sent: you pay it with your wallet, and mark it then.'
      }
      confirm="Prepare it"
      path="/api/v1/payouts"
      said={({ payout }) => {
        show(payout?.id ?? '');
        return payout ? `Payout ${payout.name} is prepared` : 'Nothing is due';
      }}
    />
  );
}

function Enter() {
  return (
    <Order<{ payout: string }>
      words="Enter a payment"
      asks="A payment that was made and that the ledger does not know, such as one that was made twice, comes off what is due to its account."
      confirm="Enter it"
      path="/api/v1/payouts/entered"
      body={({ chain, ...fields }) => ({ ...fields, chain: chain ? Number(chain) : undefined })}
      said={({ payout }) => `The payment is entered as payout ${payout}`}
    >
      <Field name="account" label="Account" maxLength={256} />
      <Field name="amount" label="Amount" maxLength={40} />
      <Field name="chain" label="Chain, where it is known" maxLength={4} isNeeded={false} />
      <Field name="requestKey" label="Request key, where it is known" maxLength={100} isNeeded={false} />
      <Note label="Why" />
    </Order>
  );
}

function Pause() {
  return (
    <Order
      words="Pause payments"
      asks="Nothing more is built, signed or sent for the first time. What was sent is sent again."
      confirm="Pause them"
      path="/api/v1/ledger/payer/pause"
      said={() => 'Payments are paused'}
    >
      <Note label="Why" />
    </Order>
  );
}

function Rebind() {
  return (
    <Order
      words="Pay from another account"
      look="danger"
      asks="For a key that was stolen or lost: the ledger pays from another account from now on. Give the bridge its key (payouts.key), and move the coins."
      confirm="Pay from there"
      path="/api/v1/ledger/payer/rebind"
      said={() => 'The ledger pays from another account now: start the bridge with its key'}
    >
      <Field name="to" label="Account that pays" maxLength={256} />
      <Note label="Why" />
    </Order>
  );
}
