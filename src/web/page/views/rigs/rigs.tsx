/** All rigs that are connected or had shares accepted: searched, sorted, a hundred at a time. */

import { SearchField } from '../../parts/controls/search-field.js';
import { Since } from '../../parts/figures/age.js';
import { Waiting } from '../../parts/waiting.js';
import type { RigList } from '../../reading/answers.js';
import { askForPage, isPart, PAGE_ROWS, type RigQuery, rigsPath } from '../../reading/rigs.js';
import { hashOf, type Route } from '../../route.js';
import { useAsked, useSeen } from '../../use/reading.js';
import { replaceHash } from '../../use/route.js';
import { counted } from '../../words/numbers.js';
import { Pager } from './pager.js';
import { hashOfQuery, queryOf } from './query.js';
import { RigTable } from './rig-table.js';
import { SaveTable } from './save-table.js';
import { StateFilter } from './state-filter.js';

const EVERY_MS = 5_000;

export function Rigs({ route }: { route: Route }) {
  const query = queryOf(route.params);
  const key = rigsPath(query, query.page * PAGE_ROWS, PAGE_ROWS);
  const asked = useAsked<RigList>(key, EVERY_MS, (ask, signal) => askForPage(ask, query, signal));
  const { value: list, isOld } = asked;
  const change = (changes: Partial<RigQuery>): void =>
    replaceHash(hashOfQuery({ ...query, page: 0, ...changes }));
  return (
    <>
      <div class="tools">
        <SearchField
          q={query.q}
          label="Search rigs and accounts"
          hint="Rig, label or account"
          change={(q) => change({ q })}
        />
        <StateFilter state={query.state} change={(state) => change({ state })} />
        <p class="quiet" role="status">
          {list && !isOld && found(list, query)}
        </p>
        {list && list.total > 0 && <SaveTable query={query} />}
      </div>
      {query.account !== '' && <OfAccount query={query} change={change} />}
      <Waiting {...asked} />
      {list && list.total === 0 && <None query={query} />}
      {list && list.rigs.length > 0 && (
        <RigTable rigs={list.rigs} query={query} change={change} isBusy={isOld} />
      )}
      {list && list.total > PAGE_ROWS && <Pager query={query} total={list.total} />}
      {list && list.rigs.length > 0 && <Counted />}
    </>
  );
}

/** What the numbers of the table are of. */
function Counted() {
  const { summary } = useSeen();
  return (
    <p class="note">
      Hash rates are of the last five minutes, hour and day, or since the rig came if that is shorter.
      {summary && (
        <>
          {' '}
          Accepted, rejected and the best share are counted <Since at={summary.startedAt} />.
        </>
      )}
    </p>
  );
}

interface ChangeProps {
  readonly query: RigQuery;
  change(changes: Partial<RigQuery>): void;
}

function OfAccount({ query: { account }, change }: ChangeProps) {
  return (
    <p class="tools">
      <span class="long">
        Of the account <a href={hashOf('account', {}, [account])}>{account}</a>
      </span>
      <button type="button" onClick={() => change({ account: '' })}>
        Of all accounts
      </button>
    </p>
  );
}

function found({ total }: RigList, query: RigQuery): string {
  return isPart(query) ? `${counted(total, 'rig')} found` : counted(total, 'rig');
}

function None({ query }: { query: RigQuery }) {
  const { q, state, account } = query;
  if (!isPart(query))
    return (
      <p>
        No rig yet. The <a href={hashOf('')}>overview</a> tells what to set in one.
      </p>
    );
  const what = [
    state !== '' && `is ${state}`,
    account !== '' && `is of this account`,
    q.trim() !== '' && `has “${q}” in its name or account`,
  ].filter(Boolean);
  return <p>No rig {what.join(' and ')}.</p>;
}
