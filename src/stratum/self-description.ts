/** What a rig says of itself, and the share target that follows from it. */
import type { Login } from './accounts.js';
import { type TargetParts, targetFor } from './first-target.js';
import type { Holding } from './holding.js';

const AGENT_CHARACTERS = 256;

export class SelfDescription {
  /** Expected hashes a share, as its login or password asks for. */
  chosen: number | undefined;
  readonly #addressKey: string;
  #agent = '';
  /** Expected hashes a share, as it would like them for a start. */
  #suggested: number | undefined;

  constructor(addressKey: string) {
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
  suggest(
    difficulty: number,
    { shareTarget }: Holding,
    hashesPerSecond: number,
    { clock, limits }: TargetParts,
  ): boolean {
    this.#suggested = difficulty;
    return shareTarget.suggest(Math.max(difficulty, hashesPerSecond / limits.sharesPerSecond), clock.nowMs());
  }

  /**
   * Once it is known who the rig is and with what it mines, whichever was said first.
   *
   * @param hashesPerSecond as the shares of the session show it.
   */
  settleTarget(
    holding: Holding,
    login: Login | undefined,
    hashesPerSecond: number,
    parts: TargetParts,
  ): void {
    if (!login || !holding.lease) return;
    const { agent, chosen } = this;
    const isFresh = !holding.issued.any;
    const former = holding.shareTarget;
    const said = { login, addressKey: this.#addressKey, agent, chosen, suggested: this.#suggested };
    const target = targetFor({ ...said, isFresh, former, hashesPerSecond }, parts);
    if (target) holding.shareTarget = target;
  }
}
