/** All rigs that had shares accepted: searched, sorted, a hundred at a time. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { SearchField } from '../../parts/search-field.js';
import type { RigList } from '../../reading/answers.js';
import {
  arranged,
  askForAll,
  askForPage,
  isGiven,
  MOST_RIGS,
  PAGE_ROWS,
  type RigQuery,
} from '../../reading/rigs.js';
import type { Route } from '../../route.js';
import { type Asked, useAsked } from '../../use/reading.js';
import { replaceHash } from '../../use/route.js';
import { count, counted } from '../../words/numbers.js';
import { Pager } from './pager.js';
import { hashOfQuery, queryOf } from './query.js';
import { RigTable } from './rig-table.js';

const PAGE_EVERY_MS = 5_000;
/** The whole list of a large pool is megabytes. */
const ALL_EVERY_MS = 30_000;

export function Rigs({ route }: { route: Route }) {
  const query = queryOf(route.params);
  const asked = useRigList(query);
  const { value: list, fault } = asked;
  const change = (changes: Partial<RigQuery>): void =>
    replaceHash(hashOfQuery({ ...query, page: 0, ...changes }));
  useTopOfEachPage(query.page);
  return (
    <>
      <div class="tools">
        <SearchField
          q={query.q}
          label="Search rigs and accounts"
          hint="Rig or account"
          change={(q) => change({ q })}
        />
        <p class="quiet" role="status">
          {list ? found(list, query) : (fault ?? 'Asking for the rigs.')}
        </p>
      </div>
      {list && fault && <p class="quiet">Not up to date: {fault}.</p>}
      {list && list.all > MOST_RIGS && !isGiven(query) && (
        <p class="quiet">Searched and sorted are the {count(MOST_RIGS)} fastest.</p>
      )}
      {list && list.total === 0 && <p>{noneWords(list, query)}</p>}
      {list && list.rigs.length > 0 && (
        <RigTable rigs={list.rigs} query={query} change={change} isBusy={asked.isOld} />
      )}
      {list && list.total > PAGE_ROWS && <Pager query={query} total={list.total} />}
    </>
  );
}

/** The pager is below the table; the next page is read from its top. */
function useTopOfEachPage(page: number): void {
  const last = useRef(page);
  useEffect(() => {
    if (page !== last.current) scrollTo(0, 0);
    last.current = page;
  }, [page]);
}

interface Shown {
  readonly rigs: RigList['rigs'];
  /** That are found. */
  readonly total: number;
  /** That there are. */
  readonly all: number;
}

function useRigList(query: RigQuery): Asked<Shown> {
  const isPage = isGiven(query);
  const key = isPage ? `page ${query.page}` : 'all';
  const asked = useAsked(key, isPage ? PAGE_EVERY_MS : ALL_EVERY_MS, async (ask, signal) => ({
    isPage,
    list: await (isPage ? askForPage(ask, query.page, signal) : askForAll(ask, signal)),
  }));
  const { q, sort, order, page } = query;
  const { value } = asked;
  const whole = useMemo(
    () => (value && !value.isPage ? arranged(value.list.rigs, { q, sort, order, page: 0 }) : undefined),
    [value, q, sort, order],
  );
  if (!value) return { ...asked, value: undefined };
  const all = value.list.total;
  const shown = whole
    ? { rigs: whole.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS), total: whole.length, all }
    : { rigs: value.list.rigs, total: all, all };
  return { ...asked, value: shown };
}

function found({ total, all }: Shown, { q }: RigQuery): string {
  return q === '' ? counted(all, 'rig') : `${count(total)} of ${counted(all, 'rig')}`;
}

function noneWords({ all }: Shown, { q }: RigQuery): string {
  if (all > 0) return `None of ${counted(all, 'rig')} has “${q}” in its name or account.`;
  return 'No rig yet. The overview tells what to set in one.';
}
