import { firstOrder, type RigSort } from '../../../../operations/enums.js';
import { DataTable } from '../../parts/data-table.js';
import type { Rig } from '../../reading/answers.js';
import { keyOf, type RigQuery } from '../../reading/rigs.js';
import { COLUMNS, type RigColumn } from './columns.js';

interface RigTableProps {
  readonly rigs: readonly Rig[];
  readonly query: RigQuery;
  change(changes: Partial<RigQuery>): void;
  /** What is shown answers the question before. */
  readonly isBusy: boolean;
}

export function RigTable({ rigs, query, change, isBusy }: RigTableProps) {
  const direction = query.order === 'asc' ? 'ascending' : 'descending';
  const columns = COLUMNS.map((column) => {
    const { sort } = column;
    if (!sort) return column;
    const head = <Sorter column={column} sort={sort} query={query} change={change} />;
    return { ...column, head, sorted: query.sort === sort ? direction : undefined } as const;
  });
  return (
    <DataTable
      label="Table of rigs"
      className="card rigs-table"
      columns={columns}
      rows={rigs}
      keyOf={keyOf}
      isBusy={isBusy}
    />
  );
}

type SorterProps = { readonly column: RigColumn; readonly sort: RigSort } & Pick<
  RigTableProps,
  'query' | 'change'
>;

function Sorter({ column: { title, look }, sort, query, change }: SorterProps) {
  const isSorted = query.sort === sort;
  const isUp = query.order === 'asc';
  const other = isUp ? 'desc' : 'asc';
  const arrow = (
    <span class="arrow" aria-hidden="true">
      {isSorted ? (isUp ? '↑' : '↓') : ''}
    </span>
  );
  // Where there is room that nothing stands under.
  const isBefore = look?.startsWith('number');
  return (
    <button
      type="button"
      class="sorter"
      onClick={() => change({ sort, order: isSorted ? other : firstOrder(sort) })}
    >
      {isBefore && arrow}
      {title}
      {!isBefore && arrow}
    </button>
  );
}
