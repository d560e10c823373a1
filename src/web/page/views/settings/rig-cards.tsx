/** What single rigs are held at and called, also those that are not here. */
import type { Column } from '../../parts/data-table.js';
import { ClearDifficulty, ClearLabel } from '../../parts/orders/rig-orders.js';
import { Who } from '../../parts/who.js';
import type { OrderedDifficulty, RigLabel } from '../../reading/answers.js';
import { hashes } from '../../words/numbers.js';
import { OrderedCard } from './ordered-card.js';

interface OfRig {
  readonly account: string;
  readonly rig: string;
  readonly by: string;
}

const RIG: Column<OfRig> = {
  title: 'Rig',
  show: ({ account, rig }) => (
    <>
      <Who account={account} rig={rig} />
      <span class="line aside">
        of <Who account={account} />
      </span>
    </>
  ),
};
const BY: Column<OfRig> = { title: 'By', show: ({ by }) => <bdi>{by}</bdi> };

const keyOf = ({ account, rig }: OfRig): string => JSON.stringify([account, rig]);

export function DifficultyCard() {
  return (
    <OrderedCard<OrderedDifficulty>
      name="difficulties"
      title="Rigs held at a difficulty"
      none="The difficulty of all rigs is automatic."
      columns={[RIG, { title: 'Share difficulty', show: ({ difficulty }) => hashes(difficulty) }, BY]}
      keyOf={keyOf}
      takeBack={(row) => <ClearDifficulty rig={row} isOneOfMany />}
    />
  );
}

export function LabelCard() {
  return (
    <OrderedCard<RigLabel>
      name="labels"
      title="Labels"
      none="No rig has a label."
      columns={[RIG, { title: 'Label', show: ({ label }) => <bdi class="long">{label}</bdi> }, BY]}
      keyOf={keyOf}
      takeBack={(row) => <ClearLabel rig={row} />}
    />
  );
}
