/** What a condition is judged to be, and by what. */
import type { Condition, Finding } from '../../bridge/alerts/alerts.js';
import type { AlertRules } from './rules.js';
import type { Snapshot } from './snapshot.js';

/** A finding that must be true for a while, so that nothing flaps. */
export interface Sight extends Finding {
  readonly holdMs: number;
}

/** Whether an alert is open: then its bound is a little further, so that a value that wavers about it changes nothing. */
export type IsOpen = (condition: Condition, about: string) => boolean;

export type Judge = (snapshot: Snapshot, rules: AlertRules, isOpen: IsOpen) => Sight[];
