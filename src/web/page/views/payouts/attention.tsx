/** Where a person is needed: a payout to approve, payments that are paused, and what is dangerous. */
import type { ComponentChildren } from 'preact';
import { Amount } from '../../parts/amount.js';
import { Note, Order } from '../../parts/orders/order.js';
import type { PayerView, Payout } from '../../reading/answers.js';
import { useSession } from '../../use/session.js';
import { counted } from '../../words/numbers.js';
import { waitsForPeople } from '../../words/payouts.js';
import { endedSentence } from '../../words/sentences.js';
import { Approve, Reject } from './approval.js';

interface AttentionProps {
  readonly payer: PayerView | undefined;
  /** That are not settled. */
  readonly open: readonly Payout[];
}

export function Attention({ payer, open }: AttentionProps) {
  return (
    <>
      {payer && payer.pauses.length > 0 && <Paused words={payer.words} />}
      {payer && payer.warning !== '' && (
        <Banner look="fault" title="Danger">
          <p class="long">{endedSentence(payer.warning)}</p>
        </Banner>
      )}
      {payer && !payer.isPaying && payer.holder !== null && (
        <Banner look="warning" title="The bridge that pays is silent">
          <p class="long">{payer.holder}: another one that may pay goes on.</p>
        </Banner>
      )}
      {open.filter(waitsForPeople).map((payout) => (
        <ToApprove key={payout.id} payout={payout} />
      ))}
    </>
  );
}

interface BannerProps {
  readonly look: 'warning' | 'fault';
  readonly title: string;
  readonly children: ComponentChildren;
}

function Banner({ look, title, children }: BannerProps) {
  return (
    <section class={`trouble banner is-${look}`} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

const PAUSED = /^paused: /;

function Paused({ words }: Pick<PayerView, 'words'>) {
  const { may } = useSession();
  return (
    <Banner look="fault" title="Payments are paused">
      {words
        .filter((each) => PAUSED.test(each))
        .map((each) => (
          <p key={each} class="long">
            {endedSentence(each.replace(PAUSED, ''))}
          </p>
        ))}
      {may('admin') ? (
        <Order
          words="Resume payments"
          look="primary"
          asks="Payments go on, whatever they were paused for."
          confirm="Resume them"
          path="/api/v1/ledger/payer/resume"
          said={() => 'Payments go on'}
        >
          <Note label="Why" />
        </Order>
      ) : (
        <p class="note">
          An administrator resumes them, or <code>stratum-bridge ledger payout resume</code>.
        </p>
      )}
    </Banner>
  );
}

function ToApprove({ payout }: { payout: Payout }) {
  const { name, total, accounts, approvals, approvedBy, approvalWhy } = payout;
  const { may } = useSession();
  return (
    <Banner look="warning" title={`Payout ${name} waits for approval`}>
      <p class="long">
        <Amount of={total} /> to {counted(accounts, 'account')}: {approvalWhy}.{' '}
        {approvals > 1 && `${approvedBy.length} of ${approvals} have approved it. `}
        {approvedBy.length > 0 && `Approved by ${approvedBy.join(', ')}.`}
      </p>
      {may('approve') ? (
        <div class="tools">
          <Approve payout={payout} />
          <Reject payout={payout} />
        </div>
      ) : (
        <p class="note">
          Sign in with a token that approves, or use <code>stratum-bridge ledger payout approve</code>.
        </p>
      )}
    </Banner>
  );
}
