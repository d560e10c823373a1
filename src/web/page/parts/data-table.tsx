/** A table of which each column is said once: its head, its cells. On a telephone each row is a card, and each cell has the head of its column above it. */
import type { ComponentChildren, Key } from 'preact';
import { NONE } from './none.js';
import { Scrolls } from './scrolls.js';

export interface Column<T> {
  readonly title: string;
  /** In place of the title: what sorts by the column. */
  readonly head?: ComponentChildren;
  readonly sorted?: 'ascending' | 'descending' | undefined;
  /** `number`: digit under digit. `wide`: on a telephone it has the whole width. `row`: what belongs to the whole row, without a head there. */
  readonly look?: 'number' | 'wide' | 'row';
  /** A dash stands for what is `null` or `undefined`. */
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
  /** It may be long, and scrolls by itself. */
  readonly isTall?: boolean;
  /** What a row and its neighbours have in common: it stands above the first of them. */
  groupOf?(row: T): string;
  /** What stands below a row, over its whole width. */
  below?(row: T): ComponentChildren;
}

export function DataTable<T>({
  label,
  columns,
  rows,
  keyOf,
  isBusy,
  isTall,
  groupOf,
  below,
}: DataTableProps<T>) {
  return (
    <Scrolls label={label} className={isTall ? 'is-tall' : ''}>
      <table aria-label={label} aria-busy={isBusy}>
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
          {rows.map((row, i) => {
            const [group, before = ''] = [row, rows[i - 1]].map((each) => each && groupOf?.(each));
            return (
              <Row
                key={keyOf(row)}
                row={row}
                columns={columns}
                group={group === before ? undefined : group}
                below={below?.(row)}
              />
            );
          })}
        </tbody>
      </table>
    </Scrolls>
  );
}

interface RowProps<T> {
  readonly row: T;
  readonly columns: readonly Column<T>[];
  /** That it is the first of. */
  readonly group: string | undefined;
  readonly below: ComponentChildren;
}

function Row<T>({ row, columns: [first, ...others], group, below }: RowProps<T>) {
  return (
    <>
      {group && (
        <tr class="group">
          <th scope="rowgroup" colSpan={others.length + 1}>
            {group}
          </th>
        </tr>
      )}
      <tr>
        {first && (
          <th scope="row" class={first.look}>
            {first.show(row) ?? NONE}
          </th>
        )}
        {others.map(({ title, look, show }) => (
          <td key={title} class={look} data-head={title}>
            {show(row) ?? NONE}
          </td>
        ))}
      </tr>
      {below && (
        <tr class="below">
          <td colSpan={others.length + 1}>
            <div>{below}</div>
          </td>
        </tr>
      )}
    </>
  );
}
