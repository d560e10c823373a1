/** The fastest rigs, or what has to happen before there is one. */

import { Card } from '../../parts/card.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import { Rate } from '../../parts/figures/rate.js';
import { RigName } from '../../parts/figures/rig-name.js';
import type { Rig, RigList } from '../../reading/answers.js';
import { keyOf, rateOf } from '../../reading/rigs.js';
import { hashOf } from '../../route.js';
import { useAsked } from '../../use/reading.js';
import { count } from '../../words/numbers.js';

const SHOWN = 8;
const EVERY_MS = 5_000;

const COLUMNS: readonly Column<Rig>[] = [
  { title: 'Rig', look: 'name', show: (rig) => <RigName rig={rig} /> },
  { title: 'Account', look: 'name is-account', show: ({ account }) => account },
  { title: 'Hash rate, 5 min', look: 'number', show: (rig) => <Rate rate={rateOf(rig, 'rate5')} /> },
  { title: 'Last share', look: 'number', show: ({ lastShareAt }) => lastShareAt && <Age at={lastShareAt} /> },
];

export function FastestRigs() {
  const asked = useAsked<RigList>('fastest', EVERY_MS, (ask, signal) =>
    ask.json(`/api/v1/rigs?limit=${SHOWN}`, signal),
  );
  return (
    <Card id="fastest" title="Fastest rigs" asked={asked}>
      {asked.value && (asked.value.total === 0 ? <NoneYet /> : <Table list={asked.value} />)}
    </Card>
  );
}

function NoneYet() {
  return (
    <p>
      No rig yet. Set one of the addresses under “Connect a rig” in yours, with your account as its user. It
      shows up here once it is connected, and gets a hash rate with its first accepted shares.
    </p>
  );
}

function Table({ list: { rigs, total } }: { list: RigList }) {
  return (
    <>
      <DataTable label="Table of the fastest rigs" columns={COLUMNS} rows={rigs} keyOf={keyOf} />
      <p class="note">
        <a href={hashOf('rigs')}>All rigs: {count(total)}</a>
      </p>
    </>
  );
}
