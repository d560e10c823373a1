/** Orders that a rig's page and the lists of what holds have in common. */
import type { Rig } from '../../reading/answers.js';
import { loginText } from '../../words/names.js';
import { Order } from './order.js';

interface RigOrderProps {
  readonly rig: Pick<Rig, 'account' | 'rig'>;
  /** Where several stand side by side. */
  readonly isOneOfMany?: boolean;
}

export function ClearDifficulty({ rig: { account, rig }, isOneOfMany = false }: RigOrderProps) {
  return (
    <Order
      words={isOneOfMany ? 'Clear' : 'Release'}
      label={isOneOfMany ? `Clear the difficulty of ${loginText(account, rig)}` : 'Release the difficulty'}
      asks="The bridge chooses its difficulty again, from its next job on."
      confirm={isOneOfMany ? 'Clear' : 'Release'}
      method="PUT"
      path="/api/v1/difficulties"
      body={() => ({ account, rig, difficulty: null })}
      said={() => 'Its difficulty is automatic again'}
    />
  );
}

export function ClearLabel({ rig: { account, rig } }: RigOrderProps) {
  return (
    <Order
      words="Remove"
      label={`Remove the label of ${loginText(account, rig)}`}
      asks="The rig is shown by its name again."
      confirm="Remove"
      method="PUT"
      path="/api/v1/labels"
      body={() => ({ account, rig, label: null })}
      said={() => 'The rig has no label any more'}
    />
  );
}
