/** A table of which each column is said once: its head, its cells, and where it has room. */
import type { ComponentChildren, Key } from 'preact';
import { Scrolls } from './scrolls.js';

export interface Column<T> {
  readonly title: string;
  /** In place of the title: what sorts by the column. */
  readonly head?: ComponentChildren;
  readonly sorted?: 'ascending' | 'descending' | undefined;
  /** `number`: digit under digit. `name`: cut where there is no room. `is-extra`, `is-wide`: left out on a telephone, on a tablet. */
  readonly look?: string;
  show(row: T): ComponentChildren;
}

interface DataTableProps<T> {
  /** For who hears it. */
  readonly label: string;
  /** The first one heads its row. */
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  keyOf(row: T): Key;
  readonly isBusy?: boolean;
  /** Of what scrolls around it. */
  readonly className?: string;
  /** What stands below a row, over its whole width. */
  below?(row: T): ComponentChildren;
}

export function DataTable<T>(props: DataTableProps<T>) {
  const { label, columns, rows, keyOf, isBusy, className, below } = props;
  return (
    <Scrolls label={label} className={className}>
      <table aria-busy={isBusy}>
        <thead>
          <tr>
            {columns.map(({ title, head = title, sorted, look }) => (
              <th key={title} scope="col" class={look} aria-sort={sorted}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={keyOf(row)} row={row} columns={columns} below={below?.(row)} />
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}

interface RowProps<T> {
  readonly row: T;
  readonly columns: readonly Column<T>[];
  readonly below: ComponentChildren;
}

function Row<T>({ row, columns, below }: RowProps<T>) {
  return (
    <>
      <tr>
        {columns.map(({ title, look, show }, i) =>
          i === 0 ? (
            <th key={title} scope="row" class={look}>
              {show(row)}
            </th>
          ) : (
            <td key={title} class={look}>
              {show(row)}
            </td>
          ),
        )}
      </tr>
      {below && (
        <tr>
          <td class="below" colSpan={columns.length}>
            <div>{below}</div>
          </td>
        </tr>
      )}
    </>
  );
}
