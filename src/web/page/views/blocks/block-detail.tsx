/** A block in full, and who gets what of it. */
import { useState } from 'preact/hooks';
import { AccountLink } from '../../parts/controls/links.js';
import { DataTable } from '../../parts/data-table.js';
import { Slices } from '../../parts/figures/slices.js';
import { Waiting } from '../../parts/waiting.js';
import type { Block, BlockSplit } from '../../reading/answers.js';
import { useAsked, useSeen } from '../../use/reading.js';
import { effortWords } from '../../words/blocks.js';
import { amount } from '../../words/money.js';
import { percent } from '../../words/numbers.js';
import { inFull } from '../../words/times.js';

const EVERY_MS = 10_000;
const LINES = 100;

/** Solutions that no node has taken are no blocks, and are split by nobody. */
const NO_BLOCK: readonly Block['state'][] = ['found', 'refused'];

export function BlockDetail({ block }: { block: Block }) {
  const { isAnonymous } = useSeen();
  const { hash, finder, node, detail, foundAt, state, effort } = block;
  const facts: readonly (readonly [string, string])[] = [
    ['Found', inFull(Date.parse(foundAt))],
    ['By', finder ? `${finder.account}, rig ${finder.rig || 'without a name'}` : ''],
    ['Reward', block.reward === null ? '' : amount(block.reward)],
    ['Effort', effort === null ? '' : `${effortWords(effort)} of what a block takes on average`],
    ['Hash', hash],
    ['Node', node ?? ''],
    ['Said of it', detail ?? ''],
  ];
  return (
    <>
      <dl class="lines">
        {facts
          .filter(([, text]) => text !== '')
          .map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="long">{text}</dd>
            </div>
          ))}
      </dl>
      {/* Who is paid is the operator's and theirs to know. */}
      {isAnonymous || NO_BLOCK.includes(state) ? null : <Split block={block} />}
    </>
  );
}

function Split({ block: { id, state, height } }: { block: Block }) {
  const [offset, setOffset] = useState(0);
  const path = `/api/v1/blocks/${id}/split?offset=${offset}&limit=${LINES}`;
  const asked = useAsked<BlockSplit>(`${path} ${state}`, EVERY_MS, (ask, signal) => ask.json(path, signal));
  const { value } = asked;
  if (!value) return <Waiting {...asked} />;
  return (
    <>
      <Waiting {...asked} />
      <p>{splitWords(value)}</p>
      {value.lines.length > 0 && (
        <DataTable
          label={`Split of block ${height}`}
          columns={[
            {
              title: 'Account',
              look: 'name',
              show: ({ account }) => (account === null ? 'the operator' : <AccountLink account={account} />),
            },
            { title: 'Amount', look: 'number', show: (line) => amount(line.amount) },
            {
              title: 'Part',
              look: 'number',
              show: (line) => percent(Number(line.amount), Number(value.reward ?? 0)),
            },
          ]}
          rows={value.lines}
          keyOf={({ account }) => account ?? ''}
        />
      )}
      <Slices what="Lines of the split" total={value.total} size={LINES} offset={offset} change={setOffset} />
    </>
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
