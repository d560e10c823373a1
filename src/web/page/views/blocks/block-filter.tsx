/** Which blocks are listed, as the address has it. */

import { BOOKED_STATES } from '../../../../operations/enums.js';
import { Segments } from '../../parts/controls/segments.js';
import type { Block } from '../../reading/answers.js';
import { hashOf, type Route } from '../../route.js';
import { BLOCK_STATES } from '../../words/blocks.js';

/** As the API takes it; empty for the first page of all. Somebody may have typed anything. */
export function filterOf({ params }: Route): URLSearchParams {
  const { state = '', chain = '', before = '' } = Object.fromEntries(params);
  const given = {
    state: BOOKED_STATES.find((each) => each === state) ?? '',
    chain: /^\d{1,5}$/.test(chain) ? chain : '',
    before: /^\d{1,18}$/.test(before) ? before : '',
  };
  return new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''));
}

interface BlockFilterProps {
  readonly route: Route;
  /** The last ones, whose chains can be chosen. */
  readonly blocks: readonly Block[];
}

export function BlockFilter({ route: { view, params }, blocks }: BlockFilterProps) {
  const [state, chain] = [params.get('state') ?? '', params.get('chain') ?? ''];
  const known = new Set(blocks.map(({ chainId }) => chainId));
  if (chain !== '') known.add(Number(chain));
  const chains = [...known].sort((a, b) => a - b).map(String);
  // Another choice begins at the first page.
  const others = { ...Object.fromEntries(params), before: '', open: '' };
  return (
    <div class="tools">
      <Segments
        label="State"
        options={[['', 'all'], ...BOOKED_STATES.map((each) => [each, BLOCK_STATES[each]] as const)]}
        chosen={state}
        hrefOf={(value) => hashOf(view, { ...others, state: value })}
      />
      <Segments
        label="Chain"
        options={[['', 'all chains'], ...chains.map((each) => [each, each] as const)]}
        chosen={chain}
        hrefOf={(value) => hashOf(view, { ...others, chain: value })}
      />
    </div>
  );
}
