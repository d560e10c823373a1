import type { RigSort } from '../../../../operations/enums.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import type { Rig } from '../../reading/answers.js';
import { keyOf } from '../../reading/rigs.js';
import { shownColumns } from './columns.js';
import { orderOf, type TableQuery } from './query.js';

interface RigTableProps {
  readonly rigs: readonly Rig[];
  readonly query: TableQuery;
  change(changes: Partial<TableQuery>): void;
  /** What is shown answers the question before. */
  readonly isBusy: boolean;
}

export function RigTable({ rigs, query, change, isBusy }: RigTableProps) {
  const direction = query.order === 'asc' ? 'ascending' : 'descending';
  const columns = shownColumns(query).map((column) => {
    const { sort } = column;
    if (!sort) return column;
    const head = <Sorter column={column} sort={sort} query={query} change={change} />;
    return { ...column, head, sorted: query.sort === sort ? direction : undefined } as const;
  });
  return <DataTable label="Table of rigs" columns={columns} rows={rigs} keyOf={keyOf} isBusy={isBusy} />;
}

type SorterProps = { readonly column: Column<Rig>; readonly sort: RigSort } & Pick<
  RigTableProps,
  'query' | 'change'
>;

/** First as one mostly wants it, then the other way, then not by this any more. */
function Sorter({ column: { title, look }, sort, query, change }: SorterProps) {
  const isSorted = query.sort === sort;
  const first = orderOf(sort);
  const next = (): Partial<TableQuery> => {
    if (!isSorted) return { sort, order: first };
    if (query.order !== first) return { sort: '', order: orderOf('') };
    return { order: first === 'asc' ? 'desc' : 'asc' };
  };
  const arrow = (
    <span class="arrow" aria-hidden="true">
      {isSorted ? (query.order === 'asc' ? '↑' : '↓') : ''}
    </span>
  );
  // Where there is room that nothing stands under.
  const isBefore = look === 'number';
  return (
    <button type="button" class="sorter" onClick={() => change(next())}>
      {isBefore && arrow}
      {title}
      {!isBefore && arrow}
    </button>
  );
}
