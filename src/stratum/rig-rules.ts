/**
 * What an operator may change while rigs are connected: this is its one owner. It is read at the moment of use, so a change
 * holds from then on, for everybody; what a session keeps from its beginning is said at {@link RigSettings}.
 */
import { isDeepStrictEqual } from 'node:util';
import { VARDIFF_SETTINGS, type VardiffSettings } from '../core/vardiff.js';
import { type AccountPolicy, Accounts } from './door/accounts.js';
import { STRATUM_LIMITS, type StratumLimits } from './door/limits.js';
import type { ShareDifficulty } from './tenure/share-target.js';

/**
 * What stands here may be given anew at any time. What is absent is as by default.
 *
 * Limits hold at once for everybody, but for `lineBytes`, `invalidMessages`, `invalidSubmits` and `invalidWindowMs`: a
 * session has those of its beginning. Nobody is closed because there are more connections or names than there may be now,
 * and bans end when they were to end.
 */
export interface RigSettings {
  /** Rigs that are here get their new target with their next job, at once where it differs by a factor of two. */
  readonly shareDifficulty: ShareDifficulty;
  /**
   * Asked at each authorize. A session that has authorized an account which may not mine here any more is ended; all others
   * go on. Nobody's password is kept, so who is here is not asked for a changed one before the next authorize.
   */
  readonly accounts?: AccountPolicy;
  /** As `shareDifficulty`; `startDifficulty` is for rigs that come from now on. */
  readonly vardiff?: Partial<VardiffSettings>;
  /** Lowest vardiff difficulties by the beginning of the agent's name. */
  readonly agentFloors?: Readonly<Record<string, number>>;
  readonly limits?: Partial<StratumLimits>;
}

/** What share targets follow from. */
export interface DifficultyRules {
  readonly shareDifficulty: ShareDifficulty;
  readonly vardiff: VardiffSettings;
  readonly agentFloors: Readonly<Record<string, number>>;
  /** Of a rig that chose its difficulty itself. */
  readonly sharesPerSecond: number;
}

export class RigRules {
  /** For ever the same object, whose values change: to be kept whole, and read each time. */
  readonly limits: StratumLimits;
  #accounts: Accounts;
  #difficulty: DifficultyRules;

  constructor(settings: RigSettings) {
    this.limits = { ...STRATUM_LIMITS, ...settings.limits };
    this.#accounts = accountsOf(settings);
    this.#difficulty = difficultyOf(settings, this.limits);
  }

  get accounts(): Accounts {
    return this.#accounts;
  }

  /** The same object until it changes. */
  get difficulty(): DifficultyRules {
    return this.#difficulty;
  }

  /** All of it anew. */
  change(settings: RigSettings): void {
    Object.assign(this.limits, STRATUM_LIMITS, settings.limits);
    this.#accounts = accountsOf(settings);
    const difficulty = difficultyOf(settings, this.limits);
    if (!isDeepStrictEqual(difficulty, this.#difficulty)) this.#difficulty = difficulty;
  }
}

function accountsOf({ accounts }: RigSettings): Accounts {
  return new Accounts(accounts ?? { mode: 'open' });
}

function difficultyOf(
  { shareDifficulty, vardiff, agentFloors = {} }: RigSettings,
  { sharesPerSecond }: StratumLimits,
): DifficultyRules {
  return { shareDifficulty, vardiff: { ...VARDIFF_SETTINGS, ...vardiff }, agentFloors, sharesPerSecond };
}
