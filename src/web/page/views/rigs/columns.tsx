/** Columns of the table of rigs. */
import type { ComponentChildren } from 'preact';
import { Age } from '../../parts/age.js';
import { AccountLink } from '../../parts/links.js';
import { Rate } from '../../parts/rate.js';
import { RigName } from '../../parts/rig-name.js';
import { Uptime } from '../../parts/uptime.js';
import type { Rig } from '../../reading/answers.js';
import { type RigSort, rateOf } from '../../reading/rigs.js';
import { count, percent, withUnit } from '../../words/numbers.js';
import { outcomeWords } from '../../words/outcomes.js';

export interface Column {
  readonly title: string;
  /** The bridge sorts by it. */
  readonly sort?: RigSort;
  /** Read from right to left, digit under digit. */
  readonly isNumber?: boolean;
  /** Left out where there is little room: `extra` first on a telephone, `wide` already on a tablet. */
  readonly room?: 'extra' | 'wide';
  readonly className?: string;
  show(rig: Rig): ComponentChildren;
}

const NONE = <span class="none">–</span>;

const hashes = (amount: string | null): ComponentChildren =>
  amount === null ? NONE : withUnit(Number(amount), '');

export const COLUMNS: readonly Column[] = [
  { title: 'Rig', sort: 'name', className: 'name', show: (rig) => <RigName rig={rig} /> },
  {
    title: 'Account',
    className: 'name is-account',
    show: ({ account }) => <AccountLink account={account} />,
  },
  { title: 'State', sort: 'state', show: ({ state }) => <span class={`state is-${state}`}>{state}</span> },
  { title: 'Agent', room: 'wide', className: 'name', show: ({ agent }) => agent || NONE },
  {
    ...{ title: '5 min', sort: 'hashRate', isNumber: true },
    show: (rig) => <Rate rate={rateOf(rig, 'rate5')} />,
  },
  {
    ...{ title: '1 h', isNumber: true, room: 'extra' },
    show: (rig) => <Rate rate={rateOf(rig, 'rate60')} />,
  },
  {
    ...{ title: '24 h', isNumber: true, room: 'wide' },
    show: (rig) => <Rate rate={rateOf(rig, 'rate1440')} />,
  },
  {
    ...{ title: 'Share difficulty', sort: 'difficulty', isNumber: true, room: 'extra' },
    show: ({ difficulty }) => hashes(difficulty),
  },
  {
    ...{ title: 'Accepted', sort: 'accepted', isNumber: true, room: 'extra' },
    show: ({ accepted }) => count(accepted),
  },
  {
    title: 'Rejected',
    sort: 'rejected',
    isNumber: true,
    room: 'extra',
    show: (rig) => <Rejected rig={rig} />,
  },
  {
    ...{ title: 'Best share', sort: 'bestShare', isNumber: true, room: 'wide' },
    show: ({ bestShare }) => hashes(bestShare),
  },
  {
    ...{ title: 'Last share', sort: 'lastShare', isNumber: true },
    show: ({ lastShareAt }) => (lastShareAt === null ? NONE : <Age at={lastShareAt} />),
  },
  {
    ...{ title: 'Sessions', sort: 'sessions', isNumber: true, room: 'wide' },
    show: ({ sessions }) => count(sessions),
  },
  {
    ...{ title: 'Uptime', sort: 'connected', isNumber: true, room: 'wide' },
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
