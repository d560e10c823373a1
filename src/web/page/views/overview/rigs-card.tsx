/** Rigs that need a look, and then the fastest. */
import { Card } from '../../parts/card.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import { Rate } from '../../parts/figures/rate.js';
import { State } from '../../parts/state.js';
import { Who } from '../../parts/who.js';
import type { Rig, RigList } from '../../reading/answers.js';
import { keyOf, rateOf, UNWELL } from '../../reading/rigs.js';
import { hashOf } from '../../route.js';
import { useAsked } from '../../use/reading.js';
import { count } from '../../words/numbers.js';

const SHOWN = 8;
/** Of each kind. */
const SHOWN_UNWELL = 3;
const EVERY_MS = 5_000;

const COLUMNS: readonly Column<Rig>[] = [
  { title: 'Rig', show: ({ account, rig, label }) => <Who account={account} rig={rig} label={label} /> },
  { title: 'State', show: ({ state }) => <State of={state} /> },
  { title: 'Hash rate', look: 'number', show: (rig) => <Rate rate={rateOf(rig, 'rate5')} /> },
  { title: 'Last share', look: 'number', show: ({ lastShareAt }) => lastShareAt && <Age at={lastShareAt} /> },
];

export function RigsCard() {
  const asked = useAsked('rigs to look at', EVERY_MS, async (ask, signal) => {
    const list = (query: string) => ask.json<RigList>(`/api/v1/rigs?${query}`, signal);
    const unwell = `sort=lastShare&limit=${SHOWN_UNWELL}`;
    const [fastest, ...lists] = await Promise.all([
      list(`limit=${SHOWN}`),
      ...UNWELL.map((state) => list(`state=${state}&${unwell}`)),
    ]);
    const rigs = [...lists, fastest].flatMap((each) => each.rigs);
    const rows = new Map(rigs.map((rig) => [keyOf(rig), rig]));
    return { total: fastest.total, rigs: [...rows.values()].slice(0, SHOWN) };
  });
  const { value } = asked;
  const all = value && value.total > 0 && <a href={hashOf('rigs')}>All {count(value.total)}</a>;
  return (
    <Card id="rigs" title="Rigs" asked={asked} actions={all}>
      {value?.total === 0 && <p>No rig yet: “Connect a rig” says what to set in one.</p>}
      {value && value.total > 0 && (
        <DataTable
          label="Rigs to look at, and the fastest"
          columns={COLUMNS}
          rows={value.rigs}
          keyOf={keyOf}
        />
      )}
    </Card>
  );
}
