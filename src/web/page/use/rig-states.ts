/** How many rigs are in each state. */
import type { RigState } from '../../../operations/enums.js';
import type { RigList } from '../reading/answers.js';
import { useAnswer, useSeen } from './reading.js';

const EVERY_MS = 3_000;

/** `undefined` until it is known, and for anonymous users. */
export function useRigStates(): Readonly<Record<RigState, number>> | undefined {
  const { isAnonymous } = useSeen();
  return useAnswer<RigList>(isAnonymous ? undefined : '/api/v1/rigs?limit=1', EVERY_MS).value?.states;
}
