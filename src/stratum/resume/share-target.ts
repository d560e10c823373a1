/** One session's own share target: fixed, the block target, or steered by vardiff. */

import {
  startVardiff,
  stepVardiff,
  type VardiffEvent,
  type VardiffSettings,
  type VardiffState,
} from '../../core/shares/vardiff.js';
import {
  type Difficulty,
  difficultyOf,
  type Target,
  targetFromInteger,
  targetOf,
} from '../../core/work/target.js';

/** `block`: every solution is a share and nothing else is; a number: expected hashes of each share. */
export type ShareDifficulty = 'vardiff' | 'block' | Difficulty;

/** Where vardiff starts, in expected hashes. */
interface Start {
  readonly difficulty: number;
  /** It was found by the rig's shares, and so tells its speed. */
  readonly isKnown: boolean;
}

/** As plain data, for the next start of the bridge: where it stands, and not how it came there. */
export interface KeptShareTarget {
  readonly settings: VardiffSettings;
  /** Where vardiff stands; absent where there is none. */
  readonly difficulty?: number | undefined;
  readonly isKnown: boolean;
  readonly chosen?: number | undefined;
  readonly ordered?: Difficulty | undefined;
  /** The target without vardiff; absent for the block target. */
  readonly fixed?: Difficulty | undefined;
}

/** No hash meets it, so the block target, which is easier, is in force. */
const NEVER_MET = targetFromInteger(0n);

export class ShareTarget {
  /** The least difficulty, where it is the rig's own choice. */
  readonly chosen: number | undefined;
  readonly #settings: VardiffSettings;
  #vardiff: VardiffState | undefined;
  #target: Target;
  /** The rig's speed was known before its first share here. */
  #isKnown: boolean;
  #ordered: Difficulty | undefined;

  constructor(
    mode: ShareDifficulty,
    settings: VardiffSettings,
    nowMs: number,
    start?: Start,
    chosen?: number,
  ) {
    this.chosen = chosen;
    this.#settings = settings;
    this.#isKnown = start?.isKnown ?? false;
    this.#vardiff = mode === 'vardiff' ? startVardiff(settings, nowMs, start?.difficulty) : undefined;
    if (this.#vardiff) this.#target = targetOfNumber(this.#vardiff.difficulty);
    else this.#target = typeof mode === 'bigint' ? targetOf(mode) : NEVER_MET;
  }

  /** Held where an operator wants it. */
  static ordered(difficulty: Difficulty, settings: VardiffSettings, nowMs: number): ShareTarget {
    const target = new ShareTarget(difficulty, settings, nowMs);
    target.#ordered = difficulty;
    return target;
  }

  static of(
    { settings, difficulty, isKnown, chosen, ordered, fixed }: KeptShareTarget,
    nowMs: number,
  ): ShareTarget {
    const start = difficulty === undefined ? undefined : { difficulty, isKnown };
    const target = new ShareTarget(start ? 'vardiff' : (fixed ?? 'block'), settings, nowMs, start, chosen);
    target.#ordered = ordered;
    return target;
  }

  get kept(): KeptShareTarget {
    const vardiff = this.#vardiff;
    return {
      settings: this.#settings,
      difficulty: vardiff?.difficulty,
      isKnown: this.#isKnown || (vardiff !== undefined && !vardiff.silent),
      chosen: this.chosen,
      ordered: this.#ordered,
      fixed: vardiff || this.#target === NEVER_MET ? undefined : difficultyOf(this.#target),
    };
  }

  /** The difficulty that an operator holds it at. */
  get orderedDifficulty(): Difficulty | undefined {
    return this.#ordered;
  }

  /** The same object until it changes. */
  get own(): Target {
    return this.#target;
  }

  /** Expected hashes a share, when vardiff alone steers them. */
  get steeredDifficulty(): number | undefined {
    return this.chosen === undefined ? this.#vardiff?.difficulty : undefined;
  }

  /** What vardiff holds the rig for; 0 while nothing is known. */
  get hashesPerSecond(): number {
    if (!this.#vardiff || (this.#vardiff.silent && !this.#isKnown)) return 0;
    return this.#vardiff.hashesPerSecond;
  }

  /** An accepted share, with the difficulty that it was issued with, and that of the newest job. */
  share(difficulty: Difficulty, inForce: Difficulty, nowMs: number): void {
    this.#step({ kind: 'share', difficulty: Number(difficulty), inForce: Number(inForce) }, nowMs);
  }

  /** Time has passed with the newest job as issued. */
  tick(inForce: Difficulty, nowMs: number): void {
    this.#step({ kind: 'tick', inForce: Number(inForce) }, nowMs);
  }

  /** Starts anew at the rig's own wish. False when it has no say here. */
  suggest(difficulty: number, nowMs: number): boolean {
    if (!this.#vardiff || this.chosen !== undefined) return false;
    this.#isKnown = false;
    this.#startAt(difficulty, nowMs);
    return true;
  }

  /** What follows it under other settings: at the difficulty that the rig has, and at the new pace where its speed is known. */
  under(mode: ShareDifficulty, settings: VardiffSettings, nowMs: number): ShareTarget {
    const vardiff = this.#vardiff;
    const isKnown = this.hashesPerSecond > 0;
    const pace = isKnown ? settings.secondsPerShare / this.#settings.secondsPerShare : 1;
    const start = vardiff && { difficulty: vardiff.difficulty * pace, isKnown };
    return new ShareTarget(mode, settings, nowMs, start);
  }

  /** The rig is back: the time that it was away says nothing about its speed, which stays known if it was. */
  resume(nowMs: number): void {
    if (!this.#vardiff) return;
    this.#isKnown ||= !this.#vardiff.silent;
    this.#startAt(this.#vardiff.difficulty, nowMs);
  }

  #startAt(difficulty: number, nowMs: number): void {
    this.#vardiff = startVardiff(this.#settings, nowMs, difficulty);
    this.#target = targetOfNumber(this.#vardiff.difficulty);
  }

  #step(event: VardiffEvent, nowMs: number): void {
    if (!this.#vardiff) return;
    const before = this.#vardiff.difficulty;
    this.#vardiff = stepVardiff(this.#settings, this.#vardiff, event, nowMs);
    if (this.#vardiff.difficulty !== before) this.#target = targetOfNumber(this.#vardiff.difficulty);
  }
}

function targetOfNumber(difficulty: number): Target {
  return targetOf(BigInt(Math.max(1, Math.round(difficulty))));
}
