/** Conditions of alerts by name, and who is told. */
import { z } from 'zod';
import { CONDITION_NAMES } from '../../alerts/conditions.js';
import { listOf } from './lists-and-maps.js';

export { alertTargets } from '../../alerts/targets.js';
export const conditions = listOf(z.enum(CONDITION_NAMES, `is none of ${CONDITION_NAMES.join(', ')}`));
