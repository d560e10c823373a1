/** What the pool found last. */

import { Age } from '../../parts/age.js';
import { AccountLink, RigLink } from '../../parts/links.js';
import { Scrolls } from '../../parts/scrolls.js';
import type { Block, Blocks } from '../../reading/answers.js';
import { BLOCK_STATES, effortWords } from '../../words/blocks.js';

export function LastBlocks({ blocks, fault }: { blocks: Blocks | undefined; fault: string | undefined }) {
  return (
    <section class="card" aria-labelledby="last-blocks">
      <h2 id="last-blocks">Last blocks</h2>
      {fault && <p class="quiet">{fault}</p>}
      {blocks && (blocks.blocks.length === 0 ? <NoneYet /> : <Table blocks={blocks.blocks} />)}
    </section>
  );
}

function NoneYet() {
  return (
    <p>
      No block yet. Each share is a try: how long one takes on average stands above, and any share may be the
      first.
    </p>
  );
}

function Table({ blocks }: { blocks: readonly Block[] }) {
  const isTold = blocks.some(({ finder }) => finder !== null);
  return (
    <Scrolls label="Table of the last blocks">
      <table>
        <thead>
          <tr>
            <th scope="col">Block</th>
            <th scope="col">State</th>
            {isTold && (
              <th scope="col" class="is-account">
                Found by
              </th>
            )}
            <th scope="col" class="number">
              Effort
            </th>
            <th scope="col" class="number">
              Found
            </th>
          </tr>
        </thead>
        <tbody>
          {blocks.map((block) => (
            <Row key={block.id} block={block} isTold={isTold} />
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}

function Row({ block, isTold }: { block: Block; isTold: boolean }) {
  const { chainId, height, state, finder, effort, foundAt } = block;
  return (
    <tr>
      <th scope="row">
        {height} <span class="none">of chain {chainId}</span>
      </th>
      <td>
        <span class={`state is-${state}`}>{BLOCK_STATES[state]}</span>
      </td>
      {isTold && (
        <td class="name is-account">
          {finder && (finder.rig === '' ? <AccountLink account={finder.account} /> : <RigLink {...finder} />)}
        </td>
      )}
      <td class="number">{effort === null ? <span class="none">–</span> : effortWords(effort)}</td>
      <td class="number">
        <Age at={foundAt} />
      </td>
    </tr>
  );
}
