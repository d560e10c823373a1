/** What the submits of one session have come to. */
import type { Login } from '../admission/accounts.js';
import { SlidingCount } from '../admission/budgets.js';
import type { StratumLimits } from '../admission/limits.js';
import type { RigRecord } from '../resume/rig-record.js';
import type { Suspect } from './nonce-detective.js';

export class SubmitCounts {
  /** Without a verdict. */
  pending = 0;
  readonly wrong: SlidingCount;
  readonly good: SlidingCount;
  /** Low-difficulty submits since the last good one. */
  lowInARow = 0;
  /** The last of those. */
  suspects: readonly Suspect[] = [];
  /** The login of the last share, and its record: looking it up by name takes as long as judging. */
  credited: { readonly login: Login; readonly record: RigRecord } | undefined;

  constructor({ invalidSubmits, invalidWindowMs }: StratumLimits) {
    this.wrong = new SlidingCount(invalidSubmits, invalidWindowMs);
    this.good = new SlidingCount(Number.POSITIVE_INFINITY, invalidWindowMs);
  }
}
