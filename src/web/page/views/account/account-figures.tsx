/** Money and speed of an account. */
import { Amount } from '../../parts/amount.js';
import { Age, Until } from '../../parts/figures/age.js';
import { Figure, Figures } from '../../parts/figures/figure.js';
import type { AccountDetails } from '../../reading/answers.js';
import { usePool } from '../../use/pool.js';
import { shortAmount } from '../../words/money.js';
import { count, counted, errorBeside, hashRate, percentOf, scaleOf } from '../../words/numbers.js';
import { duration } from '../../words/times.js';

interface DetailsProps {
  readonly details: AccountDetails;
}

export function AccountFigures({ details }: DetailsProps) {
  return (
    <Figures>
      <DueFigure details={details} />
      <Figure
        name="Expected"
        value={<Amount of={details.expected} />}
        hint="An estimate. It is due once the blocks are confirmed, and is lost with a block that is orphaned."
      >
        from blocks not confirmed yet
      </Figure>
      <PaidFigure details={details} />
      <EstimateFigure details={details} />
      <RateFigure details={details} />
    </Figures>
  );
}

function DueFigure({ details }: DetailsProps) {
  const { due, payout } = details;
  const { terms } = usePool();
  const least = payout.minimum ?? terms?.minimum;
  return (
    <Figure
      name="Due"
      value={<Amount of={due} />}
      look={payout.isOnHold ? 'warning' : undefined}
      hint="What can be paid now. A payout pays all that is due, from the minimum up."
      spark={
        least !== undefined && (
          <progress
            value={Math.max(0, Number(due))}
            max={Number(least)}
            aria-label={`Due, towards the minimum of ${shortAmount(least)}`}
          />
        )
      }
    >
      <WhenPaid details={details} />
    </Figure>
  );
}

/** `minimum 100 · next payout in 47 s`. */
function WhenPaid({ details: { due, payout } }: DetailsProps) {
  const { terms } = usePool();
  if (payout.isOnHold) return <>on hold: ask the operator</>;
  if (Number(due) < 0) return <>overpaid: a paid block was orphaned</>;
  const least = payout.minimum ?? terms?.minimum;
  return (
    <>
      {least !== undefined && (
        <>
          minimum <Amount of={least} isBare />
          {' · '}
        </>
      )}
      {terms?.nextPayoutAt ? (
        <>
          next payout <Until at={terms.nextPayoutAt} />
        </>
      ) : (
        'paid by hand'
      )}
    </>
  );
}

function PaidFigure({ details: { paid, paying, payments } }: DetailsProps) {
  const isPaying = Number(paying) > 0;
  const last = payments.find(({ state }) => state === 'sent' || state === 'confirmed');
  return (
    <Figure name="Paid in all" value={<Amount of={paid} />}>
      {last && (
        <>
          last <Age at={last.changedAt} />
        </>
      )}
      {last && isPaying && ' · '}
      {isPaying && (
        <>
          <Amount of={paying} isBare /> on its way
        </>
      )}
      {!last && !isPaying && 'no payment yet'}
    </Figure>
  );
}

function EstimateFigure({ details: { estimate, hashRate: rate } }: DetailsProps) {
  const { perDay, reason, blocksPerDay, fee } = estimate;
  if (perDay === null)
    return (
      <Figure name="Expected a day" value={undefined}>
        {reason}
      </Figure>
    );
  const { divisor, letter } = scaleOf(rate?.hashesPerSecond ?? 0);
  const perUnit = (Number(perDay) * divisor) / (rate?.hashesPerSecond ?? 0);
  const hint = [
    'On average, at the hash rate of the last hour',
    fee !== null && `less the fee of ${percentOf(fee)}`,
    blocksPerDay !== null && blocksPerDay > 0 && blocksWords(blocksPerDay),
  ];
  return (
    <Figure
      name="Expected a day"
      value={<Amount of={perDay} />}
      hint={`${hint.filter(Boolean).join(', ')}. Chance decides what a single day brings.`}
    >
      {Number.isFinite(perUnit) && `${shortAmount(perUnit.toFixed(12))} per\u00a0${letter}H/s`}
    </Figure>
  );
}

/** Blocks a day, from which on they are counted. */
const OFTEN = 48;

function blocksWords(perDay: number): string {
  return perDay > OFTEN
    ? `which is ${count(perDay)} blocks a day`
    : `which is a block in ${duration(86_400_000 / perDay)}`;
}

function RateFigure({ details: { hashRate: rate, rigCount } }: DetailsProps) {
  const rigs = counted(rigCount, 'rig');
  if (!rate)
    return (
      <Figure name="Hash rate" value={undefined}>
        no share in the last hour · {rigs}
      </Figure>
    );
  const { hashesPerSecond, standardError, minutes } = rate;
  return (
    <Figure
      name="Hash rate"
      value={hashRate(hashesPerSecond)}
      hint="By the work of accepted shares. Two of three times the true rate is within the error beside it."
    >
      {errorBeside(hashesPerSecond, standardError)} ({duration(minutes * 60_000)}) · {rigs}
    </Figure>
  );
}
