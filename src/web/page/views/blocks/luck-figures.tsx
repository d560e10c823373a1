/** Is it normal? Luck over the last blocks, and what was done since the last one. */
import { BestEverFigure } from '../../parts/figures/best-ever.js';
import { EffortFigure, LastBlockFigure } from '../../parts/figures/block-figures.js';
import { Figure } from '../../parts/figures/figure.js';
import type { Blocks } from '../../reading/answers.js';
import { useHistory } from '../../use/history.js';
import { useAsked } from '../../use/reading.js';
import { effortWords } from '../../words/blocks.js';
import { counted } from '../../words/numbers.js';

const EVERY_MS = 5_000;

/** Asked for by themselves: whatever is chosen of the list, these are of all blocks. */
export function LuckFigures() {
  const { value: blocks } = useAsked<Blocks>('luck', EVERY_MS, (ask, signal) =>
    ask.json('/api/v1/blocks?limit=1', signal),
  );
  const { value: rates } = useHistory('hashRate', '1h');
  if (!blocks) return null;
  return (
    <dl class="figures is-few">
      <LuckFigure luck={blocks.luck} />
      <LastBlockFigure blocks={blocks} rates={rates} />
      <EffortFigure blocks={blocks} />
      <BestEverFigure best={blocks.bestEver} />
    </dl>
  );
}

function LuckFigure({ luck }: Pick<Blocks, 'luck'>) {
  if (!luck)
    return (
      <Figure name="Luck" value={undefined}>
        needs 10 blocks
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
