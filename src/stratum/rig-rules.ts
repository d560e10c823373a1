/**
 * What an operator may change while rigs are connected: this is its one owner. It is read at the moment of use, so a change
 * holds from then on, for everybody; what a session keeps from its beginning is said at {@link RigSettings}.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AgentRule } from '../core/agents.js';
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
  /** Quirks by the beginning of the agent's name. Byte orders of nonces are for rigs that subscribe from now on. */
  readonly agents?: readonly AgentRule[];
  readonly limits?: Partial<StratumLimits>;
}

/** What share targets follow from. */
export interface DifficultyRules {
  readonly shareDifficulty: ShareDifficulty;
  readonly vardiff: VardiffSettings;
  /** Of a rig that chose its difficulty itself. */
  readonly sharesPerSecond: number;
}

export class RigRules {
  /** For ever the same object, whose values change: to be kept whole, and read each time. */
  readonly limits: StratumLimits;
  #accounts: Accounts;
  #difficulty: DifficultyRules;
  #agents: readonly AgentRule[];

  constructor(settings: RigSettings) {
    this.limits = { ...STRATUM_LIMITS, ...settings.limits };
    this.#accounts = accountsOf(settings);
    this.#difficulty = difficultyOf(settings, this.limits);
    this.#agents = settings.agents ?? [];
  }

  get accounts(): Accounts {
    return this.#accounts;
  }

  /** The same object until it changes. */
  get difficulty(): DifficultyRules {
    return this.#difficulty;
  }

  /** The same object until it changes. */
  get agents(): readonly AgentRule[] {
    return this.#agents;
  }

  /** All of it anew. */
  change(settings: RigSettings): void {
    Object.assign(this.limits, STRATUM_LIMITS, settings.limits);
    this.#accounts = accountsOf(settings);
    const difficulty = difficultyOf(settings, this.limits);
    if (!isDeepStrictEqual(difficulty, this.#difficulty)) this.#difficulty = difficulty;
    const { agents = [] } = settings;
    if (!isDeepStrictEqual(agents, this.#agents)) this.#agents = agents;
  }
}

function accountsOf({ accounts }: RigSettings): Accounts {
  return new Accounts(accounts ?? { mode: 'open' });
}

function difficultyOf(
  { shareDifficulty, vardiff }: RigSettings,
  { sharesPerSecond }: StratumLimits,
): DifficultyRules {
  return { shareDifficulty, vardiff: { ...VARDIFF_SETTINGS, ...vardiff }, sharesPerSecond };
}
