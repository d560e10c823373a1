/** Chains as rows, heights as columns: each block with its parent and the blocks of adjacent chains that it refers to. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { WatchBlock, WatchState } from '../http/control/watch-state.js';

const ROW = 30;
const COLUMN = 36;
const LEFT = 34;
const TOP = 12;
const BOTTOM = 22;
const RADIUS = 5;
/** Of a block that is not on the cut, below the one that is. */
const ASIDE = 9;
const LEAST_COLUMNS = 4;

interface Place {
  readonly x: number;
  readonly y: number;
}

export function Braid({ state }: { state: WatchState }) {
  const [columns, svg] = useColumns();
  const from = Math.max(state.from, state.to - columns + 1);
  const shown = state.blocks.filter(({ height }) => height >= from);
  const rows = state.chains.map(({ chainId }) => chainId);
  const places = placesOf(shown, rows, from);
  const width = LEFT + columns * COLUMN;
  const height = TOP + rows.length * ROW + BOTTOM;
  const beside = shown.filter(({ isOnCut }) => !isOnCut).length;
  return (
    <>
      <svg
        ref={svg}
        class="braid"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${rows.length} chains from height ${from} to ${state.to}; blocks beside the cut: ${beside}`}
      >
        {rows.map((chainId, row) => (
          <text key={chainId} x={4} y={rowAt(row) + 4}>
            {chainId}
          </text>
        ))}
        {shown.map((block) => (
          <Lines key={block.hash} block={block} places={places} />
        ))}
        {shown.map((block) => (
          <Mark key={block.hash} block={block} at={places.get(block.hash)} />
        ))}
        {heightsOf(from, state.to).map((each) => (
          <text key={each} x={columnAt(each - from)} y={height - 6} text-anchor="middle">
            {each}
          </text>
        ))}
      </svg>
      <p class="note braid-legend">
        <span>Rows are chains, columns heights.</span>
        <span>Blue: a block. Green: one with transactions. Red square: one beside the cut.</span>
        <span>Thick lines lead to parents, thin ones to adjacent chains.</span>
      </p>
    </>
  );
}

/** How many heights have room, and the element that they are to have room in. */
function useColumns() {
  const svg = useRef<SVGSVGElement>(null);
  const [columns, setColumns] = useState(LEAST_COLUMNS);
  useLayoutEffect(() => {
    const element = svg.current;
    if (!element) return;
    const measure = new ResizeObserver(() => {
      const room = Math.floor((element.clientWidth - LEFT) / COLUMN);
      setColumns(Math.max(LEAST_COLUMNS, room));
    });
    measure.observe(element);
    return () => measure.disconnect();
  }, []);
  return [columns, svg] as const;
}

function placesOf(
  blocks: readonly WatchBlock[],
  rows: readonly number[],
  from: number,
): ReadonlyMap<string, Place> {
  const aside = new Map<string, number>();
  const places = new Map<string, Place>();
  for (const { hash, chainId, height, isOnCut } of blocks) {
    const at = `${chainId} ${height}`;
    const step = isOnCut ? 0 : (aside.get(at) ?? 0) + 1;
    if (!isOnCut) aside.set(at, step);
    places.set(hash, { x: columnAt(height - from), y: rowAt(rows.indexOf(chainId)) + step * ASIDE });
  }
  return places;
}

function Lines({ block, places }: { block: WatchBlock; places: ReadonlyMap<string, Place> }) {
  const to = places.get(block.hash);
  if (!to) return null;
  const line = (hash: string, look: string) => {
    const from = places.get(hash);
    const middle = from ? (from.x + to.x) / 2 : 0;
    return (
      from && (
        <path
          key={hash}
          class={look}
          d={`M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`}
        />
      )
    );
  };
  return (
    <>
      {block.adjacents.map((hash) => line(hash, block.isOnCut ? '' : 'is-aside'))}
      {line(block.parent, block.isOnCut ? 'is-parent' : 'is-beside')}
    </>
  );
}

function Mark({ block, at }: { block: WatchBlock; at: Place | undefined }) {
  if (!at) return null;
  const { chainId, height, hash, transactions, account } = block;
  const miner = account === '' ? '' : `, mined for ${account}`;
  const about = `Chain ${chainId}, height ${height}, ${hash}, transactions: ${transactions}${miner}`;
  if (!block.isOnCut) {
    return (
      <rect x={at.x - RADIUS + 1} y={at.y - RADIUS + 1} width={2 * RADIUS - 2} height={2 * RADIUS - 2}>
        <title>{about}, beside the cut</title>
      </rect>
    );
  }
  return (
    <circle cx={at.x} cy={at.y} r={RADIUS} class={block.transactions > 0 ? 'has-transactions' : undefined}>
      <title>{about}</title>
    </circle>
  );
}

const rowAt = (row: number): number => TOP + (row + 0.5) * ROW;
const columnAt = (column: number): number => LEFT + (column + 0.5) * COLUMN;

function heightsOf(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
