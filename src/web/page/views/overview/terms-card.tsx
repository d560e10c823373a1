/** What a miner wants to know before he comes. */
import { Amount } from '../../parts/amount.js';
import { Card } from '../../parts/card.js';
import { Facts } from '../../parts/facts.js';
import { Until } from '../../parts/figures/age.js';
import { usePool } from '../../use/pool.js';
import { percentOf } from '../../words/numbers.js';

const SCHEMES = {
  pplns: 'PPLNS: the last shares before a block',
  prop: 'Proportional: the shares since the block before',
  solo: 'Solo: a block is its finder’s',
  pps: 'PPS: each share at its expected value',
} as const;

export function TermsCard() {
  const { terms, network } = usePool();
  if (!terms) return null;
  const { scheme, window, fee, minimum, schedule, nextPayoutAt } = terms;
  return (
    <Card id="terms" title="Terms">
      <Facts
        of={[
          ['Fee', percentOf(fee)],
          ['Split', `${SCHEMES[scheme]}${window === null ? '' : ` (${window})`}`],
          ['Minimum', <Amount of={minimum} />],
          ['Payouts', schedule === 'off' ? 'by hand' : schedule],
          ['Next payout', nextPayoutAt && <Until at={nextPayoutAt} />],
          ['Network', network],
        ]}
      />
    </Card>
  );
}
