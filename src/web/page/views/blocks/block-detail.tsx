/** A block in full, and who gets what of it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Amount } from '../../parts/amount.js';
import { Copy } from '../../parts/controls/copy.js';
import { Slices } from '../../parts/controls/slices.js';
import { DataTable } from '../../parts/data-table.js';
import { type Fact, Facts } from '../../parts/facts.js';
import { Waiting } from '../../parts/waiting.js';
import { Who } from '../../parts/who.js';
import type { Block, BlockSplit } from '../../reading/answers.js';
import { useAnswer, useSeen } from '../../use/reading.js';
import { effortWords, onTop } from '../../words/blocks.js';
import { counted, percent } from '../../words/numbers.js';
import { inFull } from '../../words/times.js';
import { Gauge } from './gauge.js';

const LINES = 20;

/** Solutions that no node has taken are no blocks, and are split by nobody. */
const NO_BLOCK: readonly Block['state'][] = ['found', 'refused'];

export function BlockDetail({ block }: { block: Block }) {
  const { isAnonymous } = useSeen();
  const { hash, node, detail, foundAt, state, effort, depth } = block;
  const box = useRef<HTMLDivElement>(null);
  // Who came by a link from above sees it.
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), []);
  const facts: readonly Fact[] = [
    ['Hash', hash && <Copy text={hash} what="the hash" />],
    ['Found', inFull(Date.parse(foundAt))],
    ['On top of it', depth > 0 && counted(onTop(block), 'block')],
    ['Effort', effort !== null && `${effortWords(effort)} of what a block takes on average`],
    ['Node', node],
    ['Note', detail],
  ];
  return (
    <div class="block-detail" ref={box}>
      <Facts of={facts} />
      {/* Who is paid is the operator's and theirs to know. */}
      {isAnonymous || NO_BLOCK.includes(state) ? null : <Split block={block} />}
    </div>
  );
}

function Split({ block: { id, height } }: { block: Block }) {
  const [offset, setOffset] = useState(0);
  const asked = useAnswer<BlockSplit>(`/api/v1/blocks/${id}/split?offset=${offset}&limit=${LINES}`);
  const { value } = asked;
  return (
    <div>
      <h3>How it was split</h3>
      <Waiting {...asked} />
      {value && <p class="note">{splitWords(value)}</p>}
      {value && value.lines.length > 0 && <Lines split={value} label={`Split of block ${height}`} />}
      <Slices
        what="Lines of the split"
        total={value?.total ?? 0}
        size={LINES}
        offset={offset}
        change={setOffset}
      />
    </div>
  );
}

function Lines({ split: { lines, reward }, label }: { split: BlockSplit; label: string }) {
  const whole = Number(reward ?? 0);
  return (
    <DataTable
      label={label}
      columns={[
        {
          title: 'Account',
          show: ({ account }) => (account === null ? 'the operator' : <Who account={account} />),
        },
        {
          title: 'Part',
          show: ({ amount }) => (
            <span class="beside-gauge">
              <Gauge to={whole === 0 ? 0 : (100 * Number(amount)) / whole} />
              {percent(Number(amount), whole)}
            </span>
          ),
        },
        { title: 'Amount', look: 'number', show: ({ amount }) => <Amount of={amount} /> },
      ]}
      rows={lines}
      keyOf={({ account }) => account ?? ''}
    />
  );
}

/** Why the amounts are where they are. Of other states nobody knows who found it. */
const PAID: Readonly<Partial<Record<Block['state'], string>>> = {
  pending: 'Expected, by what the last block of its chain paid.',
  confirmed: 'It is in the balances.',
  orphaned: 'Another one is confirmed in its place: nobody is paid for it.',
};

function splitWords({ id, scheme, fee, lines, state }: BlockSplit): string {
  if (!PAID[state])
    return `Nobody gets it until it is claimed: stratum-bridge ledger block claim ${id} ACCOUNT`;
  if (scheme === null) return 'It is split once all shares before it are in the books.';
  if (lines.length === 0) return 'It is split once its reward is known.';
  const kept = fee === null ? '' : `, with a fee of ${percent(fee, 1)}`;
  return `Split by ${scheme}${kept}. ${PAID[state] ?? ''}`;
}
