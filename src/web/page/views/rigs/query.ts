/** What is asked of the table, as the address has it. */
import { firstOrder, RIG_SORTS, RIG_STATES } from '../../../../operations/enums.js';
import { ALL_RIGS, type RigQuery } from '../../reading/rigs.js';
import { hashOf } from '../../route.js';

/** And which columns are shown besides those that always are, by their titles. */
export interface TableQuery extends RigQuery {
  readonly columns: readonly string[];
}

/** Somebody may have typed anything: what makes no sense is as if it were not there. */
export function queryOf(params: URLSearchParams): TableQuery {
  const page = Number(params.get('page') ?? '1') - 1;
  const sort = RIG_SORTS.find((each) => each === params.get('sort')) ?? '';
  const order = params.get('order');
  return {
    q: (params.get('q') ?? '').slice(0, 200),
    state: RIG_STATES.find((state) => state === params.get('state')) ?? '',
    account: params.get('account') ?? '',
    sort,
    order: order === 'asc' || order === 'desc' ? order : orderOf(sort),
    page: Number.isSafeInteger(page) && page > 0 && page < MOST_PAGES ? page : 0,
    columns: params.get('columns')?.split(',') ?? [],
  };
}

/** Farther than this the bridge does not count. */
const MOST_PAGES = 100_000;

/** What is as it is anyway is left out. */
export function hashOfQuery({ q, state, account, sort, order, page, columns }: TableQuery): string {
  return hashOf('rigs', {
    q,
    state,
    account,
    sort,
    order: order === orderOf(sort) ? '' : order,
    page: page === 0 ? '' : String(page + 1),
    columns: columns.join(','),
  });
}

/** Where none was chosen. */
export function orderOf(sort: RigQuery['sort']): RigQuery['order'] {
  return sort === '' ? ALL_RIGS.order : firstOrder(sort);
}
