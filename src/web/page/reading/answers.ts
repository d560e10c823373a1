/** Answers of the API, by the schemas that they are made with. */
import type { z } from 'zod';
import type { HASH_RATE } from '../../api/fields.js';
import type { DOORS, NODE, RIG, STANDING, SUMMARY, WORK } from '../../api/schemas.js';

export type Summary = z.output<typeof SUMMARY>;
export type Node = z.output<typeof NODE>;
export type Work = z.output<typeof WORK>;
export type Rig = z.output<typeof RIG>;
export type HashRate = z.output<typeof HASH_RATE>;
export type Standing = z.output<typeof STANDING>;
export type Doors = z.output<typeof DOORS>;

export interface RigList {
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly rigs: readonly Rig[];
}
