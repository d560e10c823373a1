/** Is it normal that there is no block yet? Time and work since the last one, beside what a block takes on average. */
import { Since } from '../../parts/age.js';
import { Figure } from '../../parts/figure.js';
import { Sparkline } from '../../parts/sparkline.js';
import type { Blocks, History } from '../../reading/answers.js';
import { useHistory } from '../../use/history.js';
import { useNow } from '../../use/reading.js';
import { effortWords, expectedMs } from '../../words/blocks.js';
import { withUnit } from '../../words/numbers.js';
import { duration } from '../../words/times.js';

interface LastBlockProps {
  readonly blocks: Blocks | undefined;
  readonly rates: History | undefined;
}

export function LastBlockFigure({ blocks, rates }: LastBlockProps) {
  const { value: found } = useHistory('blocks', '24h');
  const nowMs = useNow();
  const spark = <Sparkline values={found?.values} />;
  if (!blocks) return <Figure name="Since the last block" value={undefined} spark={spark} />;
  const takesMs = expectedMs(blocks.sinceLast, rates);
  const takes =
    takesMs === undefined
      ? 'a hash rate is awaited'
      : `a block takes ${duration(takesMs)} on average at the rate of the last hour`;
  const isNone = blocks.blocks.length === 0;
  const passedMs = nowMs - Date.parse(blocks.sinceLast.since);
  return (
    <Figure name="Since the last block" value={isNone ? 'none yet' : duration(passedMs)} spark={spark}>
      {isNone && <span class="line">any share may be the first</span>}
      {takes}
    </Figure>
  );
}

export function EffortFigure({ blocks }: { blocks: Blocks | undefined }) {
  const { value: efforts } = useHistory('effort', '24h');
  const spark = <Sparkline values={efforts?.values} />;
  const name = 'Work since then';
  if (!blocks) return <Figure name={name} value={undefined} spark={spark} />;
  const { effort, work, since } = blocks.sinceLast;
  return (
    <Figure name={name} value={effort === null ? undefined : effortWords(effort)} spark={spark}>
      {effort === null ? 'no node gives work' : 'of what a block takes on average'}
      <span class="line">
        {withUnit(Number(work), 'hashes')} <Since at={since} />
      </span>
    </Figure>
  );
}
