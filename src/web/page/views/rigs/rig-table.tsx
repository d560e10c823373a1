import { Scrolls } from '../../parts/scrolls.js';
import type { Rig } from '../../reading/answers.js';
import { firstOrder, keyOf, type RigQuery, type RigSort } from '../../reading/rigs.js';
import { COLUMNS, type Column } from './columns.js';

interface RigTableProps {
  readonly rigs: readonly Rig[];
  readonly query: RigQuery;
  change(changes: Partial<RigQuery>): void;
  /** What is shown answers the question before. */
  readonly isBusy: boolean;
}

export function RigTable({ rigs, query, change, isBusy }: RigTableProps) {
  return (
    <Scrolls label="Table of rigs" className="card rigs-table">
      <table aria-busy={isBusy}>
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <Head key={column.title} column={column} query={query} change={change} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rigs.map((rig) => (
            <Row key={keyOf(rig)} rig={rig} />
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}

type HeadProps = { readonly column: Column } & Pick<RigTableProps, 'query' | 'change'>;

function Head({ column, query, change }: HeadProps) {
  const { title, sort } = column;
  const isSorted = query.sort === sort;
  const isUp = query.order === 'asc';
  return (
    <th
      scope="col"
      class={classesOf(column)}
      aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : undefined}
    >
      {sort ? <Sorter column={column} sort={sort} query={query} change={change} /> : title}
    </th>
  );
}

function Sorter({ column: { title, isNumber }, sort, query, change }: HeadProps & { sort: RigSort }) {
  const isSorted = query.sort === sort;
  const isUp = query.order === 'asc';
  const other = isUp ? 'desc' : 'asc';
  const arrow = (
    <span class="arrow" aria-hidden="true">
      {isSorted ? (isUp ? '↑' : '↓') : ''}
    </span>
  );
  return (
    <button
      type="button"
      class="sorter"
      onClick={() => change({ sort, order: isSorted ? other : firstOrder(sort) })}
    >
      {/* Where there is room that nothing stands under. */}
      {isNumber && arrow}
      {title}
      {!isNumber && arrow}
    </button>
  );
}

function Row({ rig }: { rig: Rig }) {
  const [first, ...rest] = COLUMNS;
  return (
    <tr>
      {first && (
        <th scope="row" class={classesOf(first)}>
          {first.show(rig)}
        </th>
      )}
      {rest.map((column) => (
        <td key={column.title} class={classesOf(column)}>
          {column.show(rig)}
        </td>
      ))}
    </tr>
  );
}

function classesOf({ isNumber, room, className }: Column): string {
  return [isNumber && 'number', room && `is-${room}`, className].filter(Boolean).join(' ');
}
