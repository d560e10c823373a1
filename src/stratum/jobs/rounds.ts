/** Goes through many members a slice at a time, so that no turn of the event loop is long however many there are. */

export class Rounds<T> {
  readonly #slices: number;
  #slice = 0;
  #number = 0;
  #visited = 0;
  #rest: Iterator<T> = [].values();

  /** @param slices of a round. */
  constructor(slices: number) {
    this.#slices = slices;
  }

  /** Of the round that the next slice belongs to. */
  get number(): number {
    return this.#number;
  }

  /** The next slice begins a round. */
  get begins(): boolean {
    return this.#slice === 0;
  }

  /** Visits the members whose turn it is: in the slices of a round each of them once, with those that come meanwhile. */
  next(members: ReadonlySet<T>, visit: (member: T) => void): void {
    if (this.begins) {
      this.#rest = members.values();
      this.#visited = 0;
    }
    this.#slice++;
    const isLast = this.#slice === this.#slices;
    const due = isLast ? Number.POSITIVE_INFINITY : Math.ceil((members.size * this.#slice) / this.#slices);
    for (; this.#visited < due; this.#visited++) {
      const { value, done } = this.#rest.next();
      if (done) break;
      visit(value);
    }
    if (!isLast) return;
    this.#slice = 0;
    this.#number++;
  }
}
