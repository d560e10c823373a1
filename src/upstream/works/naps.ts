/** The pauses of a loop: naps that whoever wants something may cut short, and rests that only the end does. */
export class Naps {
  #isWoken = false;
  #isNap = false;
  #isClosed = false;
  #endPause: (() => void) | undefined;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** What wakes the loop from now on is for its next turn. */
  beginTurn(): void {
    this.#isWoken = false;
  }

  /** Ends a nap; one that has not begun yet is left out. */
  wake(): void {
    this.#isWoken = true;
    if (this.#isNap) this.#endPause?.();
  }

  async nap(ms: number): Promise<void> {
    if (this.#isWoken) return;
    this.#isNap = true;
    await this.rest(ms);
    this.#isNap = false;
  }

  async rest(ms: number): Promise<void> {
    if (ms <= 0 || this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endPause = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#endPause?.();
  }
}
