/**
 * What the silence of a rig says of its speed. So long as it has work and submits nothing, it has at the most the speed at
 * which chance would hardly leave it without a share for that time.
 */

/** Where so many shares are to be expected, none comes once in 160,000 times. */
const EXPECTED_SHARES = 12;
/** Machines take a while to begin. */
const LEAST_MS = 60_000;

export class Silence {
  #ms = 0;
  /** Sum of seconds over difficulty: shares that a rig of one hash a second would have sent. */
  #exposure = 0;
  #countedToMs = 0;

  /** In hashes a second; infinite while the silence is too short to say anything. */
  get fastest(): number {
    return this.#ms < LEAST_MS ? Number.POSITIVE_INFINITY : EXPECTED_SHARES / this.#exposure;
  }

  /** The rig has worked and said nothing in this time, of which nothing is counted twice; `difficulty` in expected hashes. */
  lasted(difficulty: number, fromMs: number, toMs: number): void {
    const ms = toMs - Math.max(fromMs, this.#countedToMs);
    if (ms <= 0) return;
    this.#countedToMs = toMs;
    this.#ms += ms;
    this.#exposure += ms / 1000 / difficulty;
  }

  /** The rig has submitted something. */
  end(): void {
    this.#ms = 0;
    this.#exposure = 0;
  }
}
