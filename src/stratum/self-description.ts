/** What a rig says of itself, and the share target that follows from it. */
import type { Login } from './accounts.js';
import { type TargetParts, targetFor } from './first-target.js';
import type { Holding } from './holding.js';

const AGENT_CHARACTERS = 256;

export class SelfDescription {
  /** Expected hashes a share, as it would like them for a start. */
  suggested: number | undefined;
  /** The same, as its login or password asks for. */
  chosen: number | undefined;
  readonly #addressKey: string;
  #agent = '';

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

  /** Once it is known who the rig is and with what it mines, whichever was said first. */
  settleTarget(holding: Holding, login: Login | undefined, parts: TargetParts): void {
    if (!login || !holding.lease) return;
    const { agent, chosen, suggested } = this;
    const isFresh = !holding.issued.any;
    const former = holding.shareTarget;
    const known = { login, addressKey: this.#addressKey, agent, chosen, suggested, isFresh, former };
    const target = targetFor(known, parts);
    if (target) holding.shareTarget = target;
  }
}
