/** What became of the entries of this start, by their numbers. */

export class EntryNumbers {
  #last = 0;
  /** Neither acknowledged nor refused yet, lowest first. */
  readonly #open = new Set<number>();
  /** First and last number of each run: refusals come in long ones. */
  readonly #refused: [number, number][] = [];

  next(): number {
    this.#open.add(++this.#last);
    return this.#last;
  }

  acknowledge(number: number): void {
    this.#open.delete(number);
  }

  refuse(number: number): void {
    this.#open.delete(number);
    const run = this.#refused.at(-1);
    if (run && run[1] === number - 1) run[1] = number;
    else this.#refused.push([number, number]);
  }

  /** All up to this one are acknowledged or refused. */
  get settledUpTo(): number {
    const [lowest = this.#last + 1] = this.#open;
    return lowest - 1;
  }

  wasRefused(number: number): boolean {
    return this.#refused.some(([first, last]) => first <= number && number <= last);
  }

  /** Nobody asks about these any more. */
  forgetUpTo(number: number): void {
    const kept = this.#refused.findIndex(([, last]) => last > number);
    this.#refused.splice(0, kept === -1 ? this.#refused.length : kept);
  }
}
