/** Four numbers that tell whether all is well. */
import { Amount } from '../../parts/amount.js';
import { Age } from '../../parts/figures/age.js';
import { Figure, Figures } from '../../parts/figures/figure.js';
import { OfDay } from '../../parts/figures/sparkline.js';
import { Who } from '../../parts/who.js';
import type { AllMoney, Blocks, PublicSummary, Rig, RigList } from '../../reading/answers.js';
import { useHistory } from '../../use/history.js';
import { useAnswer, useSeen } from '../../use/reading.js';
import { useRigStates } from '../../use/rig-states.js';
import { EFFORT_HINT, effortWords, expectedMs, luckWords, openEffort } from '../../words/blocks.js';
import { count, errorBeside, hashRate } from '../../words/numbers.js';

export function OverviewFigures({ blocks }: { blocks: Blocks | undefined }) {
  const { summary, totals } = useSeen();
  if (!totals) return null;
  return (
    <Figures>
      <RateFigure totals={totals} />
      {summary ? <RigsFigure /> : <ConnectedFigure sessions={totals.sessions} />}
      <BlocksFigure blocks={blocks} />
      {summary && <MoneyFigure />}
    </Figures>
  );
}

const FIVE_MINUTES = 5;

/** Over five minutes: long enough to hold some shares, short enough to follow. */
function RateFigure({ totals: { hashRates } }: { totals: PublicSummary }) {
  const of = (minutes: number) => hashRates.find((rate) => rate.minutes === minutes);
  const { hashesPerSecond = 0, standardError = 0 } = of(FIVE_MINUTES) ?? {};
  return (
    <Figure
      name="Hash rate"
      value={hashesPerSecond > 0 ? hashRate(hashesPerSecond) : undefined}
      spark={<OfDay metric="hashRate" />}
      hint="By the work of accepted shares of five minutes. Two of three times the true rate is within the error beside it."
    >
      {hashesPerSecond > 0
        ? `${errorBeside(hashesPerSecond, standardError)} (5 min)`
        : 'no share in 5 minutes'}
    </Figure>
  );
}

/** Named one by one. */
const NAMED = 2;

/** Those that mine, and who is missing. */
function RigsFigure() {
  const states = useRigStates();
  const { value } = useAnswer<RigList>(`/api/v1/rigs?state=offline&sort=lastShare&limit=${NAMED}`);
  if (!states) return <Figure name="Rigs" value={undefined} />;
  const { online, idle, offline, banned } = states;
  const parts = [
    idle > 0 && `${count(idle)} idle`,
    banned > 0 && `${count(banned)} banned`,
    offline > 0 && `${count(offline)} offline`,
  ].filter(Boolean);
  return (
    <Figure
      name="Rigs"
      value={`${count(online)}\u00a0online`}
      look={idle + offline > 0 ? 'warning' : undefined}
      spark={<OfDay metric="rigs" />}
    >
      {parts.length === 0 ? (online === 0 ? 'none yet' : 'all that are known') : parts.join(' · ')}
      {offline > 0 && value && <Missing rigs={value.rigs} />}
    </Figure>
  );
}

function Missing({ rigs }: { rigs: readonly Rig[] }) {
  return (
    <>
      {': '}
      {rigs.map(({ account, rig, label }) => (
        <span key={`${account}.${rig}`}>
          <Who account={account} rig={rig} label={label} />{' '}
        </span>
      ))}
    </>
  );
}

/** Anonymous users are told of sessions alone. */
function ConnectedFigure({ sessions }: { sessions: number }) {
  return <Figure name="Rigs" value={`${count(sessions)}\u00a0connected`} spark={<OfDay metric="rigs" />} />;
}

function BlocksFigure({ blocks }: { blocks: Blocks | undefined }) {
  const { value: day } = useHistory('blocks', '24h');
  const last = blocks?.blocks[0];
  const ofDay = day?.values.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  const { value: rates } = useHistory('hashRate', '1h');
  const effort = blocks ? openEffort(blocks.sinceLast, expectedMs(blocks.sinceLast, rates)) : null;
  const parts = [
    ofDay !== undefined && `${count(ofDay)} in 24 h`,
    blocks?.luck && luckWords(blocks.luck),
    effort !== null && `effort ${effortWords(effort)}`,
  ].filter(Boolean);
  return (
    <Figure
      name="Last block"
      value={last ? <Age at={last.foundAt} /> : blocks && 'none yet'}
      spark={<OfDay metric="blocks" />}
      hint={EFFORT_HINT}
    >
      {parts.join(' · ')}
    </Figure>
  );
}

/** What the pool owes. */
function MoneyFigure() {
  const { value } = useAnswer<AllMoney>('/api/v1/money');
  return (
    <Figure
      name="Due to miners"
      value={value && <Amount of={value.due} />}
      spark={<OfDay metric="unpaid" />}
      hint="What all accounts together can be paid. Expected is what blocks bring that are not confirmed yet: an estimate."
    >
      {value && <Rest money={value} />}
    </Figure>
  );
}

function Rest({ money: { expected, paying } }: { money: AllMoney }) {
  const isPaying = Number(paying) !== 0;
  return (
    <>
      <Amount of={expected} isBare /> expected
      {isPaying && ' · '}
      {isPaying && <Amount of={paying} isBare />}
      {isPaying && ' in payouts'}
    </>
  );
}
