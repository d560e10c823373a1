/** What a rig says of itself, and the share target that follows from it. */

import {
  type Nonce1,
  nonce1FromHex,
  nonce1ToHex,
  reversedNonce1,
  reversedNonce2,
} from '../../core/jobs/nonce.js';
import type { SubmitRequest } from '../../wire/messages.js';
import type { Credentials, Login } from '../admission/accounts.js';
import { AGENT_CHARACTERS, type AgentQuirks, type AgentRule, quirksOf } from '../agents.js';
import { type TargetParts, targetFor } from '../resume/first-target.js';
import type { Resumption } from '../resume/resumption.js';
import type { DifficultyRules } from '../rig-rules.js';

export class SelfDescription {
  /** Expected hashes a share, as its login or password asks for. */
  chosen: number | undefined;
  /** It has sent what only newer software sends, so it takes what only newer software takes. */
  isModern = false;
  /** It takes `mining.set_extranonce`. */
  takesExtranonce = false;
  readonly #parts: TargetParts;
  readonly #resumption: Resumption;
  readonly #addressKey: string;
  #agent = '';
  #quirks: AgentQuirks = {};
  /** Those that `#quirks` are of. */
  #quirksUnder: readonly AgentRule[] | undefined;
  /** Its byte orders, as they were when it subscribed: its nonce1 was written by them. */
  #orders: Pick<AgentQuirks, 'reversedNonce1' | 'reversedNonce2'> = {};
  /** Expected hashes a share to begin with, as its password asks for. */
  #hinted: number | undefined;
  /** The same, as its software suggests it. */
  #suggested: number | undefined;
  /** The rules under which its target was settled last, and its quirks then. */
  #settledUnder: DifficultyRules | undefined;
  #settledFor: AgentQuirks | undefined;

  constructor(parts: TargetParts, resumption: Resumption, addressKey: string) {
    this.#parts = parts;
    this.#resumption = resumption;
    this.#addressKey = addressKey;
  }

  /** The software it mines with; a long name is cut. */
  get agent(): string {
    return this.#agent;
  }

  set agent(text: string) {
    // A copy: a slice would keep all of what it was cut from.
    const agent = Buffer.from(text.slice(0, AGENT_CHARACTERS)).toString();
    if (agent === this.#agent) return;
    this.#agent = agent;
    this.#quirksUnder = undefined;
  }

  /** The same object until its name or the rules change. */
  get quirks(): AgentQuirks {
    const { agents } = this.#parts.rules;
    if (this.#quirksUnder !== agents) this.#quirks = quirksOf(this.#agent, agents);
    this.#quirksUnder = agents;
    return this.#quirks;
  }

  get takesReconnect(): boolean {
    return this.quirks.takesReconnect ?? this.isModern;
  }

  get takesMessages(): boolean {
    return this.quirks.takesMessages ?? this.isModern;
  }

  /** @param agent empty when it does not say. */
  subscribed(agent: string): void {
    if (agent !== '') this.agent = agent;
    this.#orders = this.quirks;
  }

  /** As the rig has to be told it. */
  nonce1For(nonce1: Nonce1): Nonce1 {
    return this.#orders.reversedNonce1 ? reversedNonce1(nonce1) : nonce1;
  }

  /** What it names to come back by: a token, or a nonce1 as it was told it. */
  resumed(claim: string | undefined): string | undefined {
    const nonce1 = nonce1FromHex(claim ?? '');
    return nonce1 === undefined ? claim : nonce1ToHex(this.nonce1For(nonce1));
  }

  /** A submit of it, as others would have written it. */
  submitted(request: SubmitRequest): SubmitRequest {
    if (!this.#orders.reversedNonce2) return request;
    return { ...request, nonce2: reversedNonce2(request.nonce2) };
  }

  /** The newest password that says where to begin counts, and only before the first job: no rig begins anew by authorizing again. */
  hint({ startDifficulty, hashesPerSecond }: Credentials): void {
    const { secondsPerShare } = this.#parts.rules.difficulty.vardiff;
    const start = startDifficulty ?? (hashesPerSecond && hashesPerSecond * secondsPerShare);
    this.#hinted = start ?? this.#hinted;
  }

  /**
   * False when it has no say. A wish that is made again and again keeps no fast rig at easy shares. Much software suggests the
   * same to every pool, right after it has authorized: what a person wrote into the password is not lost by that.
   */
  suggest(difficulty: number, hashesPerSecond: number): boolean {
    if (this.#hinted !== undefined) return false;
    const { clock, rules } = this.#parts;
    const least = hashesPerSecond / rules.difficulty.sharesPerSecond;
    this.#suggested = difficulty;
    return this.#resumption.shareTarget.suggest(Math.max(difficulty, least), clock.nowMs());
  }

  /**
   * Once it is known who the rig is and with what it mines, whichever was said first; again when the rules change.
   *
   * @param hashesPerSecond as the shares of the session show it.
   */
  settleTarget(login: Login | undefined, hashesPerSecond: number): void {
    const [parts, resumption] = [this.#parts, this.#resumption];
    if (!login || !resumption.lease) return;
    const { quirks, chosen } = this;
    const { isFresh, formerDifficulty: remembered } = resumption.resumable;
    const former = resumption.shareTarget;
    const suggested = this.#hinted ?? this.#suggested;
    const said = { login, addressKey: this.#addressKey, quirks, chosen, suggested };
    const { difficulty } = parts.rules;
    const isSettled = this.#settledUnder === difficulty && this.#settledFor === quirks;
    const known = { ...said, remembered, isFresh, isSettled, former, hashesPerSecond };
    const target = targetFor(known, parts);
    this.#settledUnder = difficulty;
    this.#settledFor = quirks;
    if (target) resumption.shareTarget = target;
  }
}
