import type { ComponentChildren } from 'preact';
import { Age } from '../../parts/age.js';
import { Rate } from '../../parts/rate.js';
import { RigName } from '../../parts/rig-name.js';
import { Scrolls } from '../../parts/scrolls.js';
import type { Rig } from '../../reading/answers.js';
import { keyOf, type RigColumn, type RigQuery, rateOf } from '../../reading/rigs.js';
import { count } from '../../words/numbers.js';

interface Column {
  readonly name: RigColumn;
  readonly title: string;
  /** Read from right to left, digit under digit. */
  readonly isNumber?: boolean;
  /** Left out where there is little room. */
  readonly isExtra?: boolean;
  show(rig: Rig): ComponentChildren;
}

const rateColumn = (name: RigColumn, title: string, isExtra: boolean): Column => ({
  name,
  title,
  isNumber: true,
  isExtra,
  show: (rig) => <Rate rate={rateOf(rig, name)} />,
});

const COLUMNS: readonly Column[] = [
  { name: 'rig', title: 'Rig', show: (rig) => <RigName rig={rig} /> },
  { name: 'account', title: 'Account', show: ({ account }) => account },
  { name: 'state', title: 'State', show: ({ state }) => <span class={`state is-${state}`}>{state}</span> },
  rateColumn('rate1', '1 min', true),
  rateColumn('rate5', '5 min', false),
  rateColumn('rate60', '1 h', true),
  {
    name: 'sessions',
    title: 'Sessions',
    isNumber: true,
    isExtra: true,
    show: ({ sessions }) => count(sessions),
  },
  {
    name: 'lastShare',
    title: 'Last share',
    isNumber: true,
    show: ({ lastShareAt }) => (lastShareAt === null ? '–' : <Age at={lastShareAt} />),
  },
];

interface RigTableProps {
  readonly rigs: readonly Rig[];
  readonly query: RigQuery;
  change(changes: Partial<RigQuery>): void;
  /** What is shown answers the question before. */
  readonly isBusy: boolean;
}

export function RigTable({ rigs, query, change, isBusy }: RigTableProps) {
  return (
    <Scrolls label="Table of rigs" className="card">
      <table aria-busy={isBusy}>
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <Head key={column.name} column={column} query={query} change={change} />
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
  const { name, title, isNumber } = column;
  const isSorted = query.sort === name;
  const isUp = query.order === 'asc';
  const sort = (): void => {
    // Names from A, numbers from the largest; again, the other way round.
    const first = isNumber ? 'desc' : 'asc';
    const other = isUp ? 'desc' : 'asc';
    change({ sort: name, order: isSorted ? other : first });
  };
  const arrow = (
    <span class="arrow" aria-hidden="true">
      {isSorted ? (isUp ? '↑' : '↓') : ''}
    </span>
  );
  return (
    <th
      scope="col"
      class={classesOf(column)}
      aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : undefined}
    >
      <button type="button" class="sorter" onClick={sort}>
        {/* Where there is room that nothing stands under. */}
        {isNumber && arrow}
        {title}
        {!isNumber && arrow}
      </button>
    </th>
  );
}

function Row({ rig }: { rig: Rig }) {
  return (
    <tr>
      {COLUMNS.map((column) =>
        column.name === 'rig' ? (
          <th key={column.name} scope="row" class={classesOf(column)}>
            {column.show(rig)}
          </th>
        ) : (
          <td key={column.name} class={classesOf(column)}>
            {column.show(rig)}
          </td>
        ),
      )}
    </tr>
  );
}

function classesOf({ name, isNumber, isExtra }: Column): string {
  const kind = isNumber ? 'number' : name === 'account' ? 'name is-account' : 'name';
  return isExtra ? `${kind} is-extra` : kind;
}
