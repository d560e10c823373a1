/** All rigs that are connected or had shares accepted: searched, sorted, a hundred at a time. */
import { SaveTable } from '../../parts/controls/save-table.js';
import { SearchField } from '../../parts/controls/search-field.js';
import { Slices } from '../../parts/controls/slices.js';
import { Since } from '../../parts/figures/age.js';
import { MessageOrder } from '../../parts/orders/message-order.js';
import { Waiting } from '../../parts/waiting.js';
import { Who } from '../../parts/who.js';
import type { RigList } from '../../reading/answers.js';
import { askForPage, askForTable, isPart, PAGE_ROWS, type RigQuery, rigsPath } from '../../reading/rigs.js';
import { hashOf, type Route, readRoute } from '../../route.js';
import { useAsked, useSeen } from '../../use/reading.js';
import { replaceHash } from '../../use/route.js';
import { useSession } from '../../use/session.js';
import { counted } from '../../words/numbers.js';
import { ColumnMenu } from './column-menu.js';
import { hashOfQuery, queryOf, type TableQuery } from './query.js';
import { RigTable } from './rig-table.js';
import { SortChoice } from './sort-choice.js';
import { StateChoice } from './state-choice.js';

const EVERY_MS = 5_000;

export function Rigs({ route }: { route: Route }) {
  const { may } = useSession();
  const query = queryOf(route.params);
  const key = rigsPath(query, query.page * PAGE_ROWS, PAGE_ROWS);
  const asked = useAsked<RigList>(key, EVERY_MS, (ask, signal) => askForPage(ask, query, signal));
  const { value: list, isOld } = asked;
  // Of the address as it is by then, which may be ahead of what is drawn.
  const change = (changes: Partial<TableQuery>): void =>
    replaceHash(hashOfQuery({ ...queryOf(readRoute(location.hash).params), page: 0, ...changes }));
  return (
    <>
      <div class="tools">
        <SearchField
          q={query.q}
          label="Search rigs and accounts"
          hint="Rig, label or account"
          change={(q) => change({ q })}
        />
        <StateChoice query={query} states={list?.states} />
        {query.account !== '' && <OfAccount account={query.account} change={change} />}
      </div>
      <section class="card" aria-label="Rigs that were found">
        <div class="card-head">
          <p class="quiet" role="status">
            {list && !isOld && found(list, query)}
          </p>
          <div class="tools">
            <SortChoice query={query} change={change} />
            {list && list.total > 0 && (
              <SaveTable name="rigs.csv" read={(ask, signal) => askForTable(ask, query, signal)} />
            )}
            {may('operate') && <MessageOrder meant={{ to: 'all' }} words="Message all rigs" />}
            <ColumnMenu query={query} change={(columns) => change({ columns, page: query.page })} />
          </div>
        </div>
        <Waiting {...asked} />
        {list && list.total === 0 && <None query={query} />}
        {list && list.rigs.length > 0 && (
          <RigTable rigs={list.rigs} query={query} change={change} isBusy={isOld} />
        )}
        {list && (
          <Slices
            what="Pages of rigs"
            total={list.total}
            size={PAGE_ROWS}
            offset={query.page * PAGE_ROWS}
            change={(offset) => change({ page: offset / PAGE_ROWS })}
          />
        )}
        {list && list.rigs.length > 0 && <Counted />}
      </section>
    </>
  );
}

/** What the numbers of the table are of. */
function Counted() {
  const { summary } = useSeen();
  return (
    <p class="note">
      Hash rates are of the time in the head of their column, or since the rig came if that is shorter.
      {summary && (
        <>
          {' '}
          Submits are counted <Since at={summary.startedAt} />.
        </>
      )}
    </p>
  );
}

interface OfAccountProps {
  readonly account: string;
  change(changes: Partial<TableQuery>): void;
}

function OfAccount({ account, change }: OfAccountProps) {
  return (
    <p class="choice">
      <Who account={account} />
      <button type="button" class="quiet-button" onClick={() => change({ account: '' })}>
        All accounts
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
