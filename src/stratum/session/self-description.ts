/** What a rig says of itself, and the share target that follows from it. */

import type { Login } from '../door/accounts.js';
import type { DifficultyRules } from '../rig-rules.js';
import { type TargetParts, targetFor } from '../tenure/first-target.js';
import type { Holding } from '../tenure/holding.js';

const AGENT_CHARACTERS = 256;

export class SelfDescription {
  /** Expected hashes a share, as its login or password asks for. */
  chosen: number | undefined;
  /** It has sent what only newer software sends, so it takes what only newer software takes. */
  isModern = false;
  /** It takes `mining.set_extranonce`. */
  takesExtranonce = false;
  readonly #parts: TargetParts;
  readonly #holding: Holding;
  readonly #addressKey: string;
  #agent = '';
  /** Expected hashes a share, as it would like them for a start. */
  #suggested: number | undefined;
  /** The rules under which its target was settled last. */
  #settledUnder: DifficultyRules | undefined;

  constructor(parts: TargetParts, holding: Holding, addressKey: string) {
    this.#parts = parts;
    this.#holding = holding;
    this.#addressKey = addressKey;
  }

  /** The software it mines with; a long name is cut. */
  get agent(): string {
    return this.#agent;
  }

  set agent(text: string) {
    this.#agent = text.slice(0, AGENT_CHARACTERS);
  }

  /** False when it has no say. A wish that is made again and again keeps no fast rig at easy shares. */
  suggest(difficulty: number, hashesPerSecond: number): boolean {
    const { clock, rules } = this.#parts;
    const least = hashesPerSecond / rules.difficulty.sharesPerSecond;
    this.#suggested = difficulty;
    return this.#holding.shareTarget.suggest(Math.max(difficulty, least), clock.nowMs());
  }

  /**
   * Once it is known who the rig is and with what it mines, whichever was said first; again when the rules change.
   *
   * @param hashesPerSecond as the shares of the session show it.
   */
  settleTarget(login: Login | undefined, hashesPerSecond: number): void {
    const [parts, holding] = [this.#parts, this.#holding];
    if (!login || !holding.lease) return;
    const { agent, chosen } = this;
    const { issued, formerDifficulty: remembered } = holding.tenure;
    const former = holding.shareTarget;
    const said = { login, addressKey: this.#addressKey, agent, chosen, suggested: this.#suggested };
    const { difficulty } = parts.rules;
    const isSettled = this.#settledUnder === difficulty;
    const known = { ...said, remembered, isFresh: !issued.isOwn, isSettled, former, hashesPerSecond };
    const target = targetFor(known, parts);
    this.#settledUnder = difficulty;
    if (target) holding.shareTarget = target;
  }
}
