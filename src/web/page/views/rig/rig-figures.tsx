/** What a rig does now. */
import { Since } from '../../parts/figures/age.js';
import { Figure, Figures } from '../../parts/figures/figure.js';
import { Field, Order } from '../../parts/orders/order.js';
import { ClearDifficulty } from '../../parts/orders/rig-orders.js';
import type { Rig } from '../../reading/answers.js';
import { rateOf } from '../../reading/rigs.js';
import { hashOf } from '../../route.js';
import { useHistory } from '../../use/history.js';
import { useSeen } from '../../use/reading.js';
import { useSession } from '../../use/session.js';
import { count, counted, errorBeside, hashRate, percent, withUnit } from '../../words/numbers.js';
import { outcomeWords, timesIn } from '../../words/outcomes.js';

export function RigFigures({ rig, login }: { rig: Rig; login: string }) {
  return (
    <Figures>
      <RateFigure rig={rig} />
      <AcceptedFigure rig={rig} />
      <BestFigure rig={rig} />
      <DifficultyFigure rig={rig} />
      <BlocksFigure login={login} />
    </Figures>
  );
}

/** Over five minutes: long enough to hold some shares, short enough to follow. */
function RateFigure({ rig }: { rig: Rig }) {
  const of = (window: Parameters<typeof rateOf>[1]) => rateOf(rig, window)?.hashesPerSecond ?? 0;
  const now = of('rate5');
  const { standardError = 0 } = rateOf(rig, 'rate5') ?? {};
  return (
    <Figure
      name="Hash rate"
      value={rig.lastShareAt === null ? undefined : hashRate(now)}
      hint={`Over 1 h ${hashRate(of('rate60'))}, over 24 h ${hashRate(of('rate1440'))}, or since the rig came.`}
    >
      {now > 0 ? `${errorBeside(now, standardError)} (5 min)` : 'no share in 5 minutes'}
    </Figure>
  );
}

function AcceptedFigure({ rig: { accepted, rejected } }: { rig: Rig }) {
  const all = accepted + timesIn(rejected);
  return (
    <Figure name="Accepted" value={all === 0 ? undefined : percent(accepted, all)}>
      {all === 0 ? 'no shares yet' : outcomeWords(rejected) || `all ${count(all)} submits`}
    </Figure>
  );
}

function BestFigure({ rig: { bestShare } }: { rig: Rig }) {
  const { summary } = useSeen();
  return (
    <Figure
      name="Best share"
      value={bestShare === null ? undefined : withUnit(Number(bestShare), '')}
      hint="The highest difficulty, in expected hashes, that a share of it has reached."
    >
      {bestShare === null ? 'none yet' : summary && <Since at={summary.startedAt} />}
    </Figure>
  );
}

function DifficultyFigure({ rig }: { rig: Rig }) {
  const { may } = useSession();
  const { difficulty, orderedDifficulty: held } = rig;
  const shown = held ?? difficulty;
  return (
    <Figure name="Difficulty" value={shown === null ? undefined : withUnit(Number(shown), '')}>
      <span class="rig-title">
        <span>{held !== null ? 'held' : difficulty === null ? 'no job now' : 'automatic'}</span>
        {may('operate') && <Hold rig={rig} />}
        {may('operate') && held !== null && <ClearDifficulty rig={rig} />}
      </span>
    </Figure>
  );
}

function Hold({ rig: { account, rig, orderedDifficulty: held } }: { rig: Rig }) {
  return (
    <Order<{ sessions: number }>
      words={held === null ? 'Hold' : 'Edit'}
      label="Hold the difficulty"
      asks="All its sessions work at this share difficulty from their next job on, whatever the settings say and the rig asks for."
      confirm="Set"
      method="PUT"
      path="/api/v1/difficulties"
      body={({ difficulty }) => ({ account, rig, difficulty })}
      said={({ sessions }) => `${counted(sessions, 'session')} will work at it from the next job on`}
    >
      <Field
        name="difficulty"
        label="Expected hashes of a share"
        placeholder="4T"
        maxLength={40}
        value={held ?? ''}
      />
    </Order>
  );
}

function BlocksFigure({ login }: { login: string }) {
  const { value: day } = useHistory('blocks', '24h', `rig:${login}`);
  const blocks = day?.values.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  return (
    <Figure name="Blocks" value={blocks === undefined ? undefined : count(blocks)}>
      in 24 h · <a href={hashOf('blocks')}>All blocks</a>
    </Figure>
  );
}
