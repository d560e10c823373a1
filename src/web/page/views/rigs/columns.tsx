/** Columns of the table of rigs. */
import type { ComponentChildren } from 'preact';
import type { RigSort } from '../../../../operations/enums.js';
import type { Column } from '../../parts/data-table.js';
import { Age, Uptime } from '../../parts/figures/age.js';
import { Rate } from '../../parts/figures/rate.js';
import { SharesBar } from '../../parts/figures/shares-bar.js';
import { State } from '../../parts/state.js';
import { Who } from '../../parts/who.js';
import type { Rig } from '../../reading/answers.js';
import { rateOf } from '../../reading/rigs.js';
import { count, withUnit } from '../../words/numbers.js';
import { outcomeWords } from '../../words/outcomes.js';
import { rigState } from '../../words/rigs.js';
import type { TableQuery } from './query.js';

interface RigColumn extends Column<Rig> {
  /** The bridge sorts by it. */
  readonly sort?: RigSort;
  /** It is shown to who wants it. */
  readonly isExtra?: boolean;
}

const inHashes = (amount: string | null): ComponentChildren => amount && withUnit(Number(amount), '');

/** There is none of a rig that never had a share. */
function rate(window: Parameters<typeof rateOf>[1]): (rig: Rig) => ComponentChildren {
  return (rig) => <Rate rate={rig.lastShareAt === null ? undefined : rateOf(rig, window)} />;
}

export const COLUMNS: readonly RigColumn[] = [
  {
    ...{ title: 'Rig', sort: 'name' },
    show: ({ account, rig, label }) => <Who account={account} rig={rig} label={label} />,
  },
  { title: 'Account', sort: 'account', show: ({ account }) => <Who account={account} /> },
  { title: 'State', sort: 'state', show: (rig) => <State of={rigState(rig)} /> },
  { title: '5 min', sort: 'hashRate', look: 'number', show: rate('rate5') },
  { title: '1 h', sort: 'rate1h', look: 'number', isExtra: true, show: rate('rate60') },
  { title: '24 h', sort: 'rate24h', look: 'number', isExtra: true, show: rate('rate1440') },
  { title: 'Rejected', sort: 'rejected', look: 'number', show: (rig) => <SharesBar {...rig} /> },
  { title: 'Reasons', isExtra: true, show: ({ rejected }) => outcomeWords(rejected) || null },
  {
    ...{ title: 'Accepted', sort: 'accepted', look: 'number', isExtra: true },
    show: ({ accepted }) => count(accepted),
  },
  {
    ...{ title: 'Last share', sort: 'lastShare', look: 'number' },
    show: ({ lastShareAt }) => lastShareAt && <Age at={lastShareAt} />,
  },
  {
    ...{ title: 'Difficulty', sort: 'difficulty', look: 'number' },
    show: ({ difficulty }) => inHashes(difficulty),
  },
  {
    ...{ title: 'Best share', sort: 'bestShare', look: 'number', isExtra: true },
    show: ({ bestShare }) => inHashes(bestShare),
  },
  {
    ...{ title: 'Sessions', sort: 'sessions', look: 'number', isExtra: true },
    show: ({ sessions }) => count(sessions),
  },
  {
    ...{ title: 'Connected', sort: 'connected', look: 'number', isExtra: true },
    show: ({ connectedSince }) => connectedSince && <Uptime at={connectedSince} />,
  },
  { title: 'Agent', sort: 'agent', isExtra: true, show: ({ agent }) => agent || null },
];

/** What the table is sorted by is seen in any case. */
export function shownColumns({ columns, sort }: TableQuery): readonly RigColumn[] {
  return COLUMNS.filter(
    (column) => !column.isExtra || columns.includes(column.title) || (sort !== '' && column.sort === sort),
  );
}
