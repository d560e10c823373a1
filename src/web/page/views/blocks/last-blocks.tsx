/** Is it normal? Luck, the time since the last block, and the last hundred at a glance. */
import type { ComponentChildren } from 'preact';
import { BOOKED_STATES } from '../../../../operations/enums.js';
import { Card } from '../../parts/card.js';
import { Age } from '../../parts/figures/age.js';
import { State } from '../../parts/state.js';
import type { Block, Blocks } from '../../reading/answers.js';
import { hashOf, type Route } from '../../route.js';
import { useHistory } from '../../use/history.js';
import { useNow } from '../../use/reading.js';
import {
  BLOCK_STATES,
  blockWords,
  EFFORT_HINT,
  effortWords,
  expectedMs,
  luckWords,
  openEffort,
} from '../../words/blocks.js';
import { counted, inHashes } from '../../words/numbers.js';
import { ago, duration } from '../../words/times.js';

interface LastBlocksProps {
  readonly blocks: Blocks;
  readonly route: Route;
}

export function LastBlocks({ blocks, route }: LastBlocksProps) {
  const count = blocks.blocks.length;
  return (
    <Card
      id="last-blocks"
      title={`Last ${counted(count, 'block')}`}
      actions={<StateCounts blocks={blocks.blocks} />}
    >
      <BlockFacts blocks={blocks} />
      <Strip blocks={blocks.blocks} route={route} />
    </Card>
  );
}

export function BlockFacts({ blocks: { blocks, luck, sinceLast, bestEver } }: { blocks: Blocks }) {
  const { value: rates } = useHistory('hashRate', '1h');
  const takesMs = expectedMs(sinceLast, rates);
  const effort = openEffort(sinceLast, takesMs);
  const [last] = blocks;
  return (
    <p class="block-facts">
      <Fact hint={EFFORT_HINT}>
        {luck
          ? `${upper(luckWords(luck))} ±\u00a0${Math.round(100 * luck.standardError)}\u00a0% over ${counted(luck.blocks, 'block')}`
          : 'Luck is known from 10 blocks on'}
      </Fact>
      {last && (
        <Fact>
          Last one <Age at={last.foundAt} />
        </Fact>
      )}
      {takesMs !== undefined && (
        <Fact hint="At the hash rate of the last hour">
          One takes {takesMs < 1000 ? 'less than a second' : duration(takesMs)} on average
        </Fact>
      )}
      {effort !== null && <Fact hint={EFFORT_HINT}>Effort since the last one {effortWords(effort)}</Fact>}
      {bestEver && (
        <Fact hint="Hashes that the best share of all was worth">
          Best share {inHashes(bestEver)}, <Age at={bestEver.at} />
        </Fact>
      )}
    </p>
  );
}

function Fact({ hint, children }: { hint?: string; children: ComponentChildren }) {
  return <span title={hint}>{children}</span>;
}

function upper(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function StateCounts({ blocks }: { blocks: readonly Block[] }) {
  return (
    <span class="tools">
      {BOOKED_STATES.map((state) => {
        const count = blocks.filter((block) => block.state === state).length;
        return count > 0 && <State key={state} of={state} words={`${count} ${BLOCK_STATES[state]}`} />;
      })}
    </span>
  );
}

/** Each leads to its row, as the first one of a page that does not move on. */
function Strip({ blocks, route: { view, params } }: { blocks: readonly Block[]; route: Route }) {
  const nowMs = useNow();
  const { range = '' } = Object.fromEntries(params);
  return (
    <ol class="block-strip" aria-label="Last blocks, the latest first">
      {blocks.map((block) => {
        const words = `${blockWords(block)}, ${ago(nowMs - Date.parse(block.foundAt))}`;
        const before = String(BigInt(block.id) + 1n);
        return (
          <li key={block.id}>
            <a
              class={`is-${block.state}`}
              href={hashOf(view, { range, before, open: block.id })}
              title={words}
            >
              <span class="unseen">{words}</span>
            </a>
          </li>
        );
      })}
    </ol>
  );
}
