/** A table of which each column is said once: its head, its cells, and where it has room. */
import type { ComponentChildren, Key } from 'preact';
import { Scrolls } from './scrolls.js';

export interface Column<T> {
  readonly title: string;
  /** Read from right to left, digit under digit. */
  readonly isNumber?: boolean;
  /** May be long, and is cut where there is no room for it. */
  readonly isName?: boolean;
  /** Left out where there is little room. */
  readonly isExtra?: boolean;
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
  /** What stands below a row, over its whole width. */
  below?(row: T): ComponentChildren;
}

export function DataTable<T>({ label, columns, rows, keyOf, isBusy, below }: DataTableProps<T>) {
  return (
    <Scrolls label={label}>
      <table aria-busy={isBusy}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classesOf(column)}>
                {column.title}
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
        {columns.map((column, i) =>
          i === 0 ? (
            <th key={column.title} scope="row" class={classesOf(column)}>
              {column.show(row)}
            </th>
          ) : (
            <td key={column.title} class={classesOf(column)}>
              {column.show(row)}
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

function classesOf<T>({ isNumber, isName, isExtra }: Column<T>): string | undefined {
  const classes = [isNumber && 'number', isName && 'name', isExtra && 'is-extra'].filter(Boolean);
  return classes.join(' ') || undefined;
}
