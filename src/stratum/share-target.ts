/** One session's own share target: fixed, the block target, or steered by vardiff. */
import { type Difficulty, type Target, targetFromInteger, targetOf } from '../core/target.js';
import {
  startVardiff,
  stepVardiff,
  type VardiffEvent,
  type VardiffSettings,
  type VardiffState,
} from '../core/vardiff.js';

/** `block`: every solution is a share and nothing else is; a number: expected hashes of each share. */
export type ShareDifficulty = 'vardiff' | 'block' | Difficulty;

/** No hash meets it, so the block target, which is easier, is in force. */
const NEVER_MET = targetFromInteger(0n);

export class ShareTarget {
  readonly #settings: VardiffSettings;
  #vardiff: VardiffState | undefined;
  #target: Target;

  /** @param start expected hashes to start vardiff with, where the rig was before. */
  constructor(mode: ShareDifficulty, settings: VardiffSettings, nowMs: number, start?: number) {
    this.#settings = settings;
    this.#vardiff = mode === 'vardiff' ? startVardiff(settings, nowMs, start) : undefined;
    if (this.#vardiff) this.#target = targetOfNumber(this.#vardiff.difficulty);
    else this.#target = typeof mode === 'bigint' ? targetOf(mode) : NEVER_MET;
  }

  /** The same object until it changes. */
  get own(): Target {
    return this.#target;
  }

  /** Expected hashes a share, when vardiff steers them. */
  get steeredDifficulty(): number | undefined {
    return this.#vardiff?.difficulty;
  }

  /** What vardiff holds the rig for; 0 while nothing is known. */
  get hashesPerSecond(): number {
    return !this.#vardiff || this.#vardiff.silent ? 0 : this.#vardiff.hashesPerSecond;
  }

  /** An accepted share, with the difficulty that it was issued with, and that of the newest job. */
  share(difficulty: Difficulty, inForce: Difficulty, nowMs: number): void {
    this.#step({ kind: 'share', difficulty: Number(difficulty), inForce: Number(inForce) }, nowMs);
  }

  /** Time has passed with the newest job as issued. */
  tick(inForce: Difficulty, nowMs: number): void {
    this.#step({ kind: 'tick', inForce: Number(inForce) }, nowMs);
  }

  /** Starts anew at the rig's own wish. False when nothing is steered here. */
  suggest(difficulty: number, nowMs: number): boolean {
    if (!this.#vardiff) return false;
    this.#vardiff = startVardiff(this.#settings, nowMs, difficulty);
    this.#target = targetOfNumber(this.#vardiff.difficulty);
    return true;
  }

  /** The rig is back: the time that it was away says nothing about its speed. */
  resume(nowMs: number): void {
    if (this.#vardiff) this.suggest(this.#vardiff.difficulty, nowMs);
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
