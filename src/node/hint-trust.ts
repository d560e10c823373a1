/**
 * Whether a node heeds the wish for a chain. One that does hands out another chain only when the wished one cannot be
 * mined, so what is held of that is dead. One that does not (a balancer or an old proxy drops the query) says nothing by it.
 */

/** So many are needed to doubt it: a chain that cannot be mined is nothing unusual. */
const LEAST_IGNORED = 5;
/** Each wish that is heeded outweighs so many that are not. */
const WEIGHT = 2;
/** What is long ago counts less and less. */
const REMEMBERED = 40;

export class HintTrust {
  #heeded = 0;
  #ignored = 0;

  get isDoubtful(): boolean {
    return this.#ignored >= LEAST_IGNORED && this.#ignored > WEIGHT * this.#heeded;
  }

  saw(isHeeded: boolean): void {
    if (isHeeded) this.#heeded++;
    else this.#ignored++;
    if (this.#heeded + this.#ignored < REMEMBERED) return;
    this.#heeded /= 2;
    this.#ignored /= 2;
  }
}
