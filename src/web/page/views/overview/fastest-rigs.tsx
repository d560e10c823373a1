/** The fastest rigs, or what has to happen before there is one. */
import { Age } from '../../parts/age.js';
import { Rate } from '../../parts/rate.js';
import { RigName } from '../../parts/rig-name.js';
import { Scrolls } from '../../parts/scrolls.js';
import type { Rig, RigList } from '../../reading/answers.js';
import { keyOf, rateOf } from '../../reading/rigs.js';
import { hashOf } from '../../route.js';
import { useAsked } from '../../use/reading.js';
import { count } from '../../words/numbers.js';

const SHOWN = 8;
const EVERY_MS = 5_000;

export function FastestRigs() {
  const { value, fault } = useAsked<RigList>('fastest', EVERY_MS, (ask, signal) =>
    ask.json(`/api/v1/rigs?limit=${SHOWN}`, signal),
  );
  return (
    <section class="card" aria-labelledby="fastest">
      <h2 id="fastest">Fastest rigs</h2>
      {fault && <p class="quiet">{fault}</p>}
      {value && (value.total === 0 ? <NoneYet /> : <Table list={value} />)}
    </section>
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
      <Scrolls label="Table of the fastest rigs">
        <table>
          <thead>
            <tr>
              <th scope="col">Rig</th>
              <th scope="col" class="is-account">
                Account
              </th>
              <th scope="col" class="number">
                Hash rate, 5 min
              </th>
              <th scope="col" class="number">
                Last share
              </th>
            </tr>
          </thead>
          <tbody>
            {rigs.map((rig) => (
              <Row key={keyOf(rig)} rig={rig} />
            ))}
          </tbody>
        </table>
      </Scrolls>
      <p class="note">
        <a href={hashOf('rigs')}>All rigs: {count(total)}</a>
      </p>
    </>
  );
}

function Row({ rig }: { rig: Rig }) {
  return (
    <tr>
      <th scope="row" class="name">
        <RigName rig={rig} />
      </th>
      <td class="name is-account">{rig.account}</td>
      <td class="number">
        <Rate rate={rateOf(rig, 'rate5')} />
      </td>
      <td class="number">{rig.lastShareAt && <Age at={rig.lastShareAt} />}</td>
    </tr>
  );
}
