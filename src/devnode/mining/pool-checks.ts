/** Which commands the pool of one chain keeps, and which it has learned to refuse. */
import type { NodeClock } from '../clock.js';
import { brokenAt, brokenEnvelope, brokenForPool, unaffordable } from '../coin/admission.js';
import type { Command } from '../coin/command.js';
import type { Chains } from '../consensus/chains.js';
import { placeAt, secondsOf } from './block-run.js';

/** What the pool says of a command, and an asker hears as its result. */
export const BADLISTED = 'Transaction is badlisted because it previously failed to validate.';
const INCLUDED = 'Transaction already exists on chain';
const MOST_REMEMBERED = 100_000;

export class PoolChecks {
  readonly #chains: Chains;
  readonly #clock: NodeClock;
  readonly #chainId: number;
  /** Until when, in seconds since the epoch, by request key. What is orphaned stays here, as on real nodes. */
  readonly #included = new Map<string, number>();
  readonly #bad = new Map<string, number>();

  constructor(chains: Chains, clock: NodeClock, chainId: number) {
    this.#chains = chains;
    this.#clock = clock;
    this.#chainId = chainId;
  }

  noteIncluded(key: string, until: number): void {
    remember(this.#included, key, until);
  }

  /** It was in the pool, and could not be in a block. */
  noteBad(key: string, until: number): void {
    remember(this.#bad, key, until);
  }

  forget(): void {
    this.#included.clear();
    this.#bad.clear();
  }

  wasIncluded(key: string): boolean {
    return this.#isNoted(this.#included, key);
  }

  isBad(key: string): boolean {
    return this.#isNoted(this.#bad, key);
  }

  #isNoted(times: ReadonlyMap<string, number>, key: string): boolean {
    return (times.get(key) ?? 0) > secondsOf(this.#clock.nowMicros());
  }

  /** What a node checks before it keeps a command, in the order of real nodes. */
  faultOf(command: Command): string | undefined {
    const { commands, network, states } = this.#chains;
    const parent = this.#chains.head(this.#chainId);
    if (parent === undefined) return `chain ${this.#chainId} is not there yet`;
    const place = placeAt({ network: network.name, parent, timeMicros: this.#clock.nowMicros(), commands });
    const state = states.behind(parent);
    return (
      brokenForPool(command, place) ??
      (this.wasIncluded(command.hash) ? INCLUDED : undefined) ??
      (this.isBad(command.hash) ? BADLISTED : undefined) ??
      brokenEnvelope(command, place) ??
      brokenAt(command, place, state) ??
      unaffordable(command, state)
    );
  }
}

function remember(times: Map<string, number>, key: string, until: number): void {
  times.set(key, until);
  for (const oldest of times.keys()) {
    if (times.size <= MOST_REMEMBERED) break;
    times.delete(oldest);
  }
}
