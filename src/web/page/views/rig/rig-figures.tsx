/** What a rig does now. */
import type { ComponentChildren } from 'preact';
import { Age, Since } from '../../parts/figures/age.js';
import { Figure } from '../../parts/figures/figure.js';
import { Uptime } from '../../parts/figures/uptime.js';
import type { Rig } from '../../reading/answers.js';
import { rateOf } from '../../reading/rigs.js';
import { useSeen } from '../../use/reading.js';
import { count, errorBeside, hashes, hashRate, percent, withUnit } from '../../words/numbers.js';
import { outcomeWords } from '../../words/outcomes.js';

export function RigFigures({ rig }: { rig: Rig }) {
  return (
    <dl class="figures">
      <StateFigure rig={rig} />
      <RateFigure rig={rig} name="Hash rate, 5 min" window="rate5" />
      <RateFigure rig={rig} name="Hash rate, 1 h" window="rate60" />
      <RateFigure rig={rig} name="Hash rate, 24 h" window="rate1440">
        <span class="line">or since the rig came</span>
      </RateFigure>
      <AcceptedFigure rig={rig} />
      <BestFigure rig={rig} />
    </dl>
  );
}

const STATE_WORDS: Readonly<Record<Rig['state'], string>> = {
  online: 'it submits or answers',
  idle: 'connected, and silent for longer than is usual for it',
  offline: 'not connected',
  banned: 'not connected, and would not be let in',
};

function StateFigure({ rig: { state, connectedSince, lastShareAt } }: { rig: Rig }) {
  return (
    <Figure name="State" value={state}>
      {STATE_WORDS[state]}
      {connectedSince && (
        <span class="line">
          connected for <Uptime since={connectedSince} />
        </span>
      )}
      <span class="line">
        {lastShareAt ? (
          <>
            last share <Age at={lastShareAt} />
          </>
        ) : (
          'no shares yet'
        )}
      </span>
    </Figure>
  );
}

interface RateFigureProps {
  readonly rig: Rig;
  readonly name: string;
  readonly window: Parameters<typeof rateOf>[1];
  readonly children?: ComponentChildren;
}

function RateFigure({ rig, name, window, children }: RateFigureProps) {
  const { hashesPerSecond = 0, standardError = 0 } = rateOf(rig, window) ?? {};
  return (
    <Figure name={name} value={hashRate(hashesPerSecond)}>
      {hashesPerSecond > 0 ? errorBeside(hashesPerSecond, standardError) : 'no share in this time'}
      {children}
    </Figure>
  );
}

function AcceptedFigure({ rig: { accepted, rejected } }: { rig: Rig }) {
  const { summary } = useSeen();
  const all = Object.values(rejected).reduce((sum, each) => sum + (each ?? 0), accepted);
  if (all === 0)
    return (
      <Figure name="Shares accepted" value={undefined}>
        no shares yet
      </Figure>
    );
  const reasons = outcomeWords(rejected);
  return (
    <Figure name="Shares accepted" value={percent(accepted, all)}>
      {count(accepted)} of {count(all)} {summary && <Since at={summary.startedAt} />}
      <span class="line">{reasons || 'none rejected'}</span>
    </Figure>
  );
}

function BestFigure({ rig: { bestShare, difficulty } }: { rig: Rig }) {
  const { summary } = useSeen();
  return (
    <Figure name="Best share" value={bestShare === null ? undefined : withUnit(Number(bestShare), '')}>
      {bestShare === null ? 'none yet' : <>hashes, {summary && <Since at={summary.startedAt} />}</>}
      {difficulty !== null && <span class="line">a share takes {hashes(difficulty)}</span>}
    </Figure>
  );
}
