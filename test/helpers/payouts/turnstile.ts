/** Lets one call at a time through, of whoever waits, by chance: what runs behind it is interleaved at each call. */
export class Turnstile {
  readonly #random: () => number;
  #waiting: { readonly who: string; readonly go: () => void }[] = [];
  #isBusy = false;

  /** @param random uniform in [0, 1). */
  constructor(random: () => number) {
    this.#random = random;
  }

  async through<T>(who: string, call: () => Promise<T>): Promise<T> {
    await new Promise<void>((go) => {
      this.#waiting.push({ who, go });
      this.#next();
    });
    try {
      return await call();
    } finally {
      this.#isBusy = false;
      this.#next();
    }
  }

  /** Once all that can ask for its turn has asked. */
  #next(): void {
    setImmediate(() => {
      const names = [...new Set(this.#waiting.map(({ who }) => who))];
      if (this.#isBusy || names.length === 0) return;
      const name = names[Math.floor(this.#random() * names.length)];
      const next = this.#waiting.find(({ who }) => who === name);
      if (!next) return;
      this.#waiting = this.#waiting.filter((one) => one !== next);
      this.#isBusy = true;
      next.go();
    });
  }
}
