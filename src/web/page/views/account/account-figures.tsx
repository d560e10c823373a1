/** Money and speed of an account. */
import { BestEverFigure } from '../../parts/figures/best-ever.js';
import { Figure } from '../../parts/figures/figure.js';
import type { AccountDetails } from '../../reading/answers.js';
import { shortAmount } from '../../words/money.js';
import { count, counted, errorBeside, hashRate, percent } from '../../words/numbers.js';
import { duration } from '../../words/times.js';

export function AccountFigures({ details }: { details: AccountDetails }) {
  const { due, expected, paying, paid } = details;
  return (
    <dl class="figures">
      <RateFigure details={details} />
      <Figure name="Due" value={shortAmount(due)}>
        {Number(due) < 0 ? 'paid already, and taken back by the chain' : 'can be paid'}
      </Figure>
      <Figure name="Expected" value={shortAmount(expected)}>
        of blocks that are not confirmed
      </Figure>
      <Figure name="In a payout" value={shortAmount(paying)}>
        that is not settled
      </Figure>
      <Figure name="Paid" value={shortAmount(paid)}>
        in all
      </Figure>
      <EstimateFigure details={details} />
      <BestEverFigure best={details.bestEver} />
    </dl>
  );
}

function RateFigure({ details: { hashRate: rate, rigCount } }: { details: AccountDetails }) {
  const rigs = counted(rigCount, 'rig');
  if (!rate)
    return (
      <Figure name="Hash rate" value={undefined}>
        no share in the last hour <span class="line">{rigs}</span>
      </Figure>
    );
  const { hashesPerSecond, standardError, minutes } = rate;
  return (
    <Figure name="Hash rate" value={hashRate(hashesPerSecond)}>
      {errorBeside(hashesPerSecond, standardError)}, over {duration(minutes * 60_000)}
      <span class="line">{rigs}</span>
    </Figure>
  );
}

function EstimateFigure({ details: { estimate } }: { details: AccountDetails }) {
  const { perDay, reason, blocksPerDay, fee } = estimate;
  return (
    <Figure name="Expected a day" value={perDay === null ? undefined : shortAmount(perDay)}>
      {perDay === null ? reason : 'by chance alone, at the hash rate of now'}
      {blocksPerDay !== null && <span class="line">{blocksWords(blocksPerDay)}</span>}
      {fee !== null && <span class="line">less a fee of {percent(fee, 1)}</span>}
    </Figure>
  );
}

/** Blocks a day, from which on they are counted. */
const OFTEN = 48;

function blocksWords(perDay: number): string {
  if (perDay <= 0) return '';
  if (perDay > OFTEN) return `${count(perDay)} blocks a day on average`;
  return `a block in ${duration(86_400_000 / perDay)} on average`;
}
