import { Menu } from '../../parts/orders/menu.js';
import { COLUMNS } from './columns.js';
import type { TableQuery } from './query.js';

interface ColumnMenuProps {
  readonly query: TableQuery;
  change(columns: readonly string[]): void;
}

/** Which columns are shown besides those that always are. */
export function ColumnMenu({ query: { columns }, change }: ColumnMenuProps) {
  const toggle = (title: string): void =>
    change(columns.includes(title) ? columns.filter((each) => each !== title) : [...columns, title]);
  return (
    <Menu words="Columns">
      <fieldset aria-label="More columns">
        {COLUMNS.filter(({ isExtra }) => isExtra).map(({ title }) => (
          <label key={title} class="choice">
            <input type="checkbox" checked={columns.includes(title)} onChange={() => toggle(title)} />
            {title}
          </label>
        ))}
      </fieldset>
    </Menu>
  );
}
