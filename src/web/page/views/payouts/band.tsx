/** What is owed, when the next payout is, and what was paid. */
import { Amount } from '../../parts/amount.js';
import { Until, When } from '../../parts/figures/age.js';
import { Figure, Figures } from '../../parts/figures/figure.js';
import type { AllMoney, Holding, PayerView } from '../../reading/answers.js';
import { usePool } from '../../use/pool.js';
import { useAnswer } from '../../use/reading.js';
import { count, counted } from '../../words/numbers.js';
import { walletOf } from './wallet.js';

interface BandProps {
  readonly payer: PayerView | undefined;
  /** `undefined` until they are known. */
  readonly holdings: readonly Holding[] | undefined;
}

export function Band({ payer, holdings }: BandProps) {
  const { value: money } = useAnswer<AllMoney>('/api/v1/money');
  return (
    <Figures>
      <Owed money={money} wallet={holdings && walletOf(holdings)} />
      <NextRun payer={payer} money={money} />
      <Paid money={money} />
    </Figures>
  );
}

interface OwedProps {
  readonly money: AllMoney | undefined;
  /** What the pool should have, by the books. */
  readonly wallet: number | undefined;
}

function Owed({ money, wallet }: OwedProps) {
  const owed = money ? Number(money.due) + Number(money.paying) : 0;
  return (
    <Figure
      name="Owed now"
      value={money && <Amount of={money.due} />}
      spark={money && <Parts of={money} />}
      hint="Due, and beside it what blocks bring that are not confirmed yet, an estimate, and what is in payouts that are not settled."
    >
      {money && (
        <span class="keys">
          <span class="key is-due">due</span>
          <span class="key is-expected">
            <Amount of={money.expected} isBare /> expected
          </span>
          <span class="key is-paying">
            <Amount of={money.paying} isBare /> in payouts
          </span>
          {wallet !== undefined && owed > 0 && (
            <span title="What blocks brought, less what was paid, of what is due and in payouts">
              wallet covers {Math.floor((100 * wallet) / owed)}&nbsp;%
            </span>
          )}
        </span>
      )}
    </Figure>
  );
}

const WIDTH = 100;

/** How large each is of all three. */
function Parts({ of }: { of: AllMoney }) {
  const parts = (['due', 'expected', 'paying'] as const).map((key) => ({
    key,
    size: Math.max(0, Number(of[key])),
  }));
  const all = parts.reduce((sum, { size }) => sum + size, 0) || 1;
  let x = 0;
  return (
    <svg class="parts-bar" viewBox={`0 0 ${WIDTH} 1`} preserveAspectRatio="none" aria-hidden="true">
      {parts.map(({ key, size }) => {
        const from = x;
        x += (WIDTH * size) / all;
        return <rect key={key} class={`is-${key}`} x={from} y={0} width={x - from} height={1} />;
      })}
    </svg>
  );
}

interface NextRunProps {
  readonly payer: PayerView | undefined;
  readonly money: AllMoney | undefined;
}

function NextRun({ payer, money }: NextRunProps) {
  const { terms } = usePool();
  const nextAt = terms?.nextPayoutAt;
  const isPaused = payer !== undefined && payer.pauses.length > 0;
  const value = isPaused ? 'paused' : nextAt ? <Until at={nextAt} /> : terms && 'by hand';
  return (
    <Figure name="Next payout" value={value} look={isPaused ? 'warning' : undefined}>
      {terms && (
        <>
          {nextAt && `${terms.schedule} · `}
          {money && <Plan money={money} minimum={terms.minimum} />}
          {payer && <Waits payer={payer} />}
        </>
      )}
    </Figure>
  );
}

/** `12.5 KDA to 41 accounts`, and who waits. */
function Plan({ money: { next, tooLittle, onHold }, minimum }: { money: AllMoney; minimum: string }) {
  return (
    <>
      <Amount of={next.amount} /> to {counted(next.accounts, 'account')}
      <span class="line">
        {tooLittle.accounts > 0 ? `${counted(tooLittle.accounts, 'account')} below the minimum, ` : 'from '}
        <Amount of={minimum} />
        {onHold.accounts > 0 && ` · ${count(onHold.accounts)} on hold`}
      </span>
    </>
  );
}

/** Why what is due is not paid, or not yet. */
function Waits({ payer }: { payer: PayerView }) {
  const { isPaying, isReady, isAsked, waitsUntil, cursorAt, waitingWhy } = payer;
  return (
    <>
      {isAsked && <span class="line">asked for: it comes as soon as it can</span>}
      {isPaying && !isReady && waitsUntil !== null && (
        <span class="line" title="What was sent before the last start is seen by then.">
          once blocks are read up to <When at={waitsUntil} />
          {cursorAt !== null && (
            <>
              {' '}
              (now <When at={cursorAt} />)
            </>
          )}
        </span>
      )}
      {waitingWhy !== '' && <span class="line long">{waitingWhy}</span>}
    </>
  );
}

function Paid({ money }: { money: AllMoney | undefined }) {
  return (
    <Figure name="Paid" value={money && <Amount of={money.paid} />}>
      in all
    </Figure>
  );
}
