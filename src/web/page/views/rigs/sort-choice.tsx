import { RIG_SORTS } from '../../../../operations/enums.js';
import { COLUMNS } from './columns.js';
import { orderOf, type TableQuery } from './query.js';

interface SortChoiceProps {
  readonly query: TableQuery;
  change(changes: Partial<TableQuery>): void;
}

/** For a telephone, where no heads of columns are seen. */
export function SortChoice({ query: { sort, order }, change }: SortChoiceProps) {
  const choose = (value: string): void => {
    const chosen = RIG_SORTS.find((each) => each === value) ?? '';
    change({ sort: chosen, order: orderOf(chosen) });
  };
  const isUp = order === 'asc';
  return (
    <span class="sort-choice">
      <select aria-label="Sort by" value={sort} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">Needs a look, then fastest</option>
        {COLUMNS.map(({ title, sort }) => sort && <option value={sort}>{title}</option>)}
      </select>
      {sort !== '' && (
        <button
          type="button"
          aria-label={isUp ? 'Rising: let it fall' : 'Falling: let it rise'}
          onClick={() => change({ order: isUp ? 'desc' : 'asc' })}
        >
          {isUp ? '↑' : '↓'}
        </button>
      )}
    </span>
  );
}
