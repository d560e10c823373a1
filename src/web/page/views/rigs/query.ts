/** What is asked of the table, as the address has it. */
import { FASTEST_FIRST, RIG_COLUMNS, type RigQuery } from '../../reading/rigs.js';
import { hashOf } from '../../route.js';

/** Somebody may have typed anything: what makes no sense is as if it were not there. */
export function queryOf(params: URLSearchParams): RigQuery {
  const page = Number(params.get('page') ?? '1') - 1;
  return {
    q: (params.get('q') ?? '').slice(0, 200),
    sort: RIG_COLUMNS.find((column) => column === params.get('sort')) ?? FASTEST_FIRST.sort,
    order: params.get('order') === 'asc' ? 'asc' : 'desc',
    page: Number.isSafeInteger(page) && page > 0 ? page : 0,
  };
}

/** What is as it is anyway is left out. */
export function hashOfQuery({ q, sort, order, page }: RigQuery): string {
  return hashOf('rigs', {
    q,
    sort: sort === FASTEST_FIRST.sort ? '' : sort,
    order: order === FASTEST_FIRST.order ? '' : order,
    page: page === 0 ? '' : String(page + 1),
  });
}
