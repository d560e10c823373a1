/**
 * A waiting line that is fair by key: keys have their turns one after the other, whoever of a key came first. When the
 * line is full, the key that holds most of it loses its first one. Every step takes the same time, however many wait.
 */
export class FairLine<T> {
  /** Items that may wait; those that wait already stay when there may be fewer. */
  max: number;
  /** In the order of their turns. */
  readonly #lines = new Map<string, Set<T>>();
  /** Keys by the length of their lines. */
  readonly #byLength = new Map<number, Set<string>>();
  readonly #keyOf = new Map<T, string>();
  #longest = 0;

  constructor(max: number) {
    this.max = max;
  }

  get size(): number {
    return this.#keyOf.size;
  }

  /** Keys that wait. */
  get keys(): number {
    return this.#lines.size;
  }

  has(item: T): boolean {
    return this.#keyOf.has(item);
  }

  /** Returns whom there is no place for: the item itself, or one that was waiting; `undefined` when there is room. */
  enter(key: string, item: T): T | undefined {
    const line = this.#lines.get(key) ?? new Set();
    if (this.size >= this.max && line.size + 1 >= this.#longest) return item;
    const dropped = this.size >= this.max ? this.#firstOfLongest() : undefined;
    if (dropped !== undefined) this.leave(dropped);
    this.#lines.set(key, line.add(item));
    this.#keyOf.set(item, key);
    this.#moved(key, line.size - 1, line.size);
    return dropped;
  }

  leave(item: T): void {
    const key = this.#keyOf.get(item);
    const line = key === undefined ? undefined : this.#lines.get(key);
    if (key === undefined || !line) return;
    line.delete(item);
    this.#keyOf.delete(item);
    if (line.size === 0) this.#lines.delete(key);
    this.#moved(key, line.size + 1, line.size);
  }

  /** The first of the next key, which waits on until `leave`; the turn of that key has passed then. */
  turn(): T | undefined {
    const [first] = this.#lines;
    if (!first) return undefined;
    const [key, line] = first;
    this.#lines.delete(key);
    this.#lines.set(key, line);
    const [item] = line;
    return item;
  }

  #firstOfLongest(): T | undefined {
    const [key = ''] = this.#byLength.get(this.#longest) ?? [];
    const [item] = this.#lines.get(key) ?? [];
    return item;
  }

  #moved(key: string, from: number, to: number): void {
    const left = this.#byLength.get(from);
    left?.delete(key);
    if (left?.size === 0) this.#byLength.delete(from);
    if (to > 0) this.#byLength.set(to, (this.#byLength.get(to) ?? new Set()).add(key));
    if (to > this.#longest) this.#longest = to;
    else while (this.#longest > 0 && !this.#byLength.has(this.#longest)) this.#longest--;
  }
}
