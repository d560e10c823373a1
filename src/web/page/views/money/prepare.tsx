import { Order } from '../../parts/controls/order.js';
import type { Payout } from '../../reading/answers.js';
import { preparePayout } from '../../reading/payouts.js';
import { useSession } from '../../use/session.js';

interface PrepareProps {
  /** A bridge pays on chain, at its schedule. */
  readonly isOnChain: boolean;
  /** One at a time. */
  readonly prepared: Payout | undefined;
  /** With its number, where there is one now. */
  done(id: string): void;
}

export function Prepare({ isOnChain, prepared, done }: PrepareProps) {
  const { may } = useSession();
  if (!may('approve'))
    return (
      <p class="note">
        To prepare a payout, or to say what became of one, sign in at the foot of this page with a token that
        approves. Or use <code>stratum-bridge ledger payout</code>.
      </p>
    );
  if (isOnChain)
    return (
      <Order
        words="Pay what is due"
        asks="The bridge that pays makes a payout of all balances from the minimum of the settings up, now and not only at its schedule."
        confirm="Ask for it"
        give={async (ask) => {
          await ask.order('POST', '/api/v1/ledger/payer/ask');
          return 'It is asked for';
        }}
      />
    );
  // It stays where it is once one is prepared: what came of the order stands beside it, and preparing again gives the same one.
  return (
    <Order
      words="Prepare a payout"
      asks={
        prepared
          ? `Payout ${prepared.name} is prepared already, and is the one that this gives: say what became of it before the next one.`
          : ASKS
      }
      confirm="Prepare it"
      give={async (ask) => {
        const payout = await preparePayout(ask);
        done(payout?.id ?? '');
        return payout ? `Payout ${payout.name} is prepared` : 'Nothing is due';
      }}
    />
  );
}

const ASKS =
  'All balances from the minimum of the settings up are set aside for it. Nothing is sent: you pay it with your wallet, and mark it then.';
