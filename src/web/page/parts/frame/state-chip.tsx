/** The state of the bridge in two or three words. It opens what is wrong. */
import { useSeen } from '../../use/reading.js';
import { useRigStates } from '../../use/rig-states.js';
import { stateOf } from '../../words/state.js';
import type { Trouble } from '../../words/troubles.js';

interface StateChipProps {
  readonly troubles: readonly Trouble[];
  readonly isOpen: boolean;
  toggle(): void;
}

export function StateChip({ troubles, isOpen, toggle }: StateChipProps) {
  const seen = useSeen();
  const states = useRigStates();
  const mining = states ? states.online : seen.isAnonymous ? seen.totals?.sessions : undefined;
  const { look, words } = stateOf(seen, troubles, mining);
  return (
    <button type="button" class={`chip state-chip is-${look}`} aria-expanded={isOpen} onClick={toggle}>
      {words}
    </button>
  );
}
