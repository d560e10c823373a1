/** Is it normal? Luck over the last blocks, and time and work since the last one beside what a block takes on average. */
import { Since } from '../../parts/age.js';
import { Figure } from '../../parts/figure.js';
import type { Blocks, History } from '../../reading/answers.js';
import { useAsked, useNow } from '../../use/reading.js';
import { effortWords, expectedMs } from '../../words/blocks.js';
import { counted, withUnit } from '../../words/numbers.js';
import { duration } from '../../words/times.js';

const RATES_EVERY_MS = 5_000;
const RATES = '/api/v1/history?metric=hashRate&of=pool&range=1h';

interface LuckFiguresProps {
  readonly blocks: Blocks | undefined;
  /** The pool has found none yet. */
  readonly isNone: boolean;
}

export function LuckFigures({ blocks, isNone }: LuckFiguresProps) {
  const { value: rates } = useAsked<History>('rates', RATES_EVERY_MS, (ask, signal) =>
    ask.json(RATES, signal),
  );
  if (!blocks) return null;
  return (
    <dl class="figures is-few">
      <LuckFigure luck={blocks.luck} />
      <TimeFigure sinceLast={blocks.sinceLast} rates={rates} isNone={isNone} />
      <WorkFigure sinceLast={blocks.sinceLast} />
    </dl>
  );
}

function LuckFigure({ luck }: Pick<Blocks, 'luck'>) {
  if (!luck)
    return (
      <Figure name="Luck" value={undefined}>
        of fewer than ten blocks it would say nothing
      </Figure>
    );
  const error = `±\u00a0${Math.round(100 * luck.standardError)}\u00a0% by chance alone`;
  return (
    <Figure name="Luck" value={effortWords(luck.luck)}>
      {error}
      <span class="line">of the expected number, over the last {counted(luck.blocks, 'block')}</span>
    </Figure>
  );
}

type SinceLast = Pick<Blocks, 'sinceLast'>;

type TimeProps = SinceLast & { readonly rates: History | undefined } & Pick<LuckFiguresProps, 'isNone'>;

function TimeFigure({ sinceLast, rates, isNone }: TimeProps) {
  const nowMs = useNow();
  const takesMs = expectedMs(sinceLast, rates);
  const takes =
    takesMs === undefined
      ? 'how long a block takes is known once there is a hash rate'
      : `a block takes ${takesMs < 1000 ? 'less than a second' : duration(takesMs)} on average, at the rate of the last hour`;
  return (
    <Figure
      name="Since the last block"
      value={isNone ? 'none yet' : duration(nowMs - Date.parse(sinceLast.since))}
    >
      {isNone && <span class="line">any share may be the first</span>}
      {takes}
    </Figure>
  );
}

function WorkFigure({ sinceLast: { effort, work, since } }: SinceLast) {
  return (
    <Figure name="Work since then" value={effort === null ? undefined : effortWords(effort)}>
      {effort === null ? 'no node gives work now' : 'of what a block takes on average'}
      <span class="line">
        {withUnit(Number(work), 'hashes')} <Since at={since} />
      </span>
    </Figure>
  );
}
