/** Columns of the table of rigs. */
import type { ComponentChildren } from 'preact';
import type { RigSort } from '../../../../operations/enums.js';
import { AccountLink } from '../../parts/controls/links.js';
import type { Column } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import { Rate } from '../../parts/figures/rate.js';
import { RigName } from '../../parts/figures/rig-name.js';
import { Uptime } from '../../parts/figures/uptime.js';
import type { Rig } from '../../reading/answers.js';
import { rateOf } from '../../reading/rigs.js';
import { count, percent, withUnit } from '../../words/numbers.js';
import { outcomeWords } from '../../words/outcomes.js';

export interface RigColumn extends Column<Rig> {
  /** The bridge sorts by it. */
  readonly sort?: RigSort;
}

const NONE = <span class="none">–</span>;

const inHashes = (amount: string | null): ComponentChildren =>
  amount === null ? NONE : withUnit(Number(amount), '');

export const COLUMNS: readonly RigColumn[] = [
  { title: 'Rig', sort: 'name', look: 'name', show: (rig) => <RigName rig={rig} /> },
  {
    ...{ title: 'Account', sort: 'account', look: 'name is-account' },
    show: ({ account }) => <AccountLink account={account} />,
  },
  { title: 'State', sort: 'state', show: ({ state }) => <span class={`state is-${state}`}>{state}</span> },
  { title: 'Agent', sort: 'agent', look: 'name is-wide', show: ({ agent }) => agent || NONE },
  {
    ...{ title: '5 min', sort: 'hashRate', look: 'number' },
    show: (rig) => <Rate rate={rateOf(rig, 'rate5')} />,
  },
  {
    ...{ title: '1 h', sort: 'rate1h', look: 'number is-extra' },
    show: (rig) => <Rate rate={rateOf(rig, 'rate60')} />,
  },
  {
    ...{ title: '24 h', sort: 'rate24h', look: 'number is-wide' },
    show: (rig) => <Rate rate={rateOf(rig, 'rate1440')} />,
  },
  {
    ...{ title: 'Share difficulty', sort: 'difficulty', look: 'number is-extra' },
    show: ({ difficulty }) => inHashes(difficulty),
  },
  {
    ...{ title: 'Accepted', sort: 'accepted', look: 'number is-extra' },
    show: ({ accepted }) => count(accepted),
  },
  {
    ...{ title: 'Rejected', sort: 'rejected', look: 'number is-extra' },
    show: (rig) => <Rejected rig={rig} />,
  },
  {
    ...{ title: 'Best share', sort: 'bestShare', look: 'number is-wide' },
    show: ({ bestShare }) => inHashes(bestShare),
  },
  {
    ...{ title: 'Last share', sort: 'lastShare', look: 'number' },
    show: ({ lastShareAt }) => (lastShareAt === null ? NONE : <Age at={lastShareAt} />),
  },
  {
    ...{ title: 'Sessions', sort: 'sessions', look: 'number is-wide' },
    show: ({ sessions }) => count(sessions),
  },
  {
    ...{ title: 'Uptime', sort: 'connected', look: 'number is-wide' },
    show: ({ connectedSince }) => (connectedSince === null ? NONE : <Uptime since={connectedSince} />),
  },
];

/** A part of all submits, with the reasons. */
function Rejected({ rig: { accepted, rejected } }: { rig: Rig }) {
  const times = Object.values(rejected).reduce((sum, each) => sum + (each ?? 0), 0);
  if (times === 0) return <>{accepted === 0 ? NONE : percent(0, 1)}</>;
  return (
    <>
      {percent(times, times + accepted)}
      <span class="error line">{outcomeWords(rejected)}</span>
    </>
  );
}
