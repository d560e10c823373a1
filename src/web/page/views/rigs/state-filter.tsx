import { RIG_STATES } from '../../../../operations/enums.js';
import type { RigQuery } from '../../reading/rigs.js';

export function StateFilter({
  state,
  change,
}: {
  state: RigQuery['state'];
  change: (state: RigQuery['state']) => void;
}) {
  return (
    <select
      aria-label="State"
      value={state}
      onChange={(event) => change(RIG_STATES.find((each) => each === event.currentTarget.value) ?? '')}
    >
      <option value="">In any state</option>
      {RIG_STATES.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}
