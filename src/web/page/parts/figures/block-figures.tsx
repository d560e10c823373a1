/** Is it normal that there is no block yet? Time and work since the last one, beside what a block takes on average. */
import type { ComponentChildren } from 'preact';
import type { Blocks, History } from '../../reading/answers.js';
import { useNow } from '../../use/reading.js';
import { effortWords, expectedMs } from '../../words/blocks.js';
import { hashes } from '../../words/numbers.js';
import { duration } from '../../words/times.js';
import { Since } from './age.js';
import { Figure } from './figure.js';

interface BlockFigureProps {
  /** The latest of all; `undefined` while they are not known. */
  readonly blocks: Blocks | undefined;
  /** How it went. */
  readonly spark?: ComponentChildren;
}

/** @param rates of the pool in the last hour. */
export function LastBlockFigure({ blocks, rates, spark }: BlockFigureProps & { rates: History | undefined }) {
  const nowMs = useNow();
  const name = 'Since the last block';
  if (!blocks) return <Figure name={name} value={undefined} spark={spark} />;
  const isNone = blocks.blocks.length === 0;
  const passedMs = nowMs - Date.parse(blocks.sinceLast.since);
  return (
    <Figure name={name} value={isNone ? 'none yet' : duration(passedMs)} spark={spark}>
      {isNone && <span class="line">any share may be the first</span>}
      {takesWords(expectedMs(blocks.sinceLast, rates))}
    </Figure>
  );
}

function takesWords(takesMs: number | undefined): string {
  if (takesMs === undefined) return 'how long a block takes is known once there is a hash rate';
  const takes = takesMs < 1000 ? 'less than a second' : duration(takesMs);
  return `a block takes ${takes} on average, at the rate of the last hour`;
}

export function EffortFigure({ blocks, spark }: BlockFigureProps) {
  const name = 'Effort on the next block';
  if (!blocks) return <Figure name={name} value={undefined} spark={spark} />;
  const { effort, work, since } = blocks.sinceLast;
  return (
    <Figure name={name} value={effort === null ? undefined : effortWords(effort)} spark={spark}>
      {effort === null ? 'no node gives work now' : 'of what a block takes on average'}
      <span class="line">
        {hashes(work)} <Since at={since} />
      </span>
    </Figure>
  );
}
