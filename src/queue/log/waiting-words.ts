/** Solutions on their way to the disk. What it does not take stays here, and is tried again each second. */
import type { SolutionWord } from '../../bridge/ports.js';
import { toHex } from '../../core/bytes/bytes.js';
import type { Log } from '../../core/names/log.js';
import { encodeWord, type OpenSolutions } from './solutions.js';

interface WaitingWord {
  readonly word: SolutionWord;
  resolve(): void;
  reject(error: Error): void;
}

interface WaitingWordsOptions {
  readonly open: OpenSolutions;
  readonly log: Log;
  /** Some wait for the disk now. */
  readonly onDue: () => void;
}

const AGAIN_MS = 1_000;
/** Of 1 kB each. */
const MOST = 10_000;

export class WaitingWords {
  readonly #options: WaitingWordsOptions;
  /** In their order. */
  #waiting: WaitingWord[] = [];
  /** The disk did not take them: it is asked again when this fires. */
  #later: NodeJS.Timeout | undefined;

  constructor(options: WaitingWordsOptions) {
    this.#options = options;
  }

  get areDue(): boolean {
    return this.#waiting.length > 0 && this.#later === undefined;
  }

  /** In memory alone, as the disk does not take them. */
  get unkept(): number {
    return this.#later ? this.#waiting.length : 0;
  }

  /** Resolves when it is on the disk. */
  add(word: SolutionWord): Promise<void> {
    if (this.#waiting.length >= MOST)
      return Promise.reject(new Error(`${MOST} solutions wait for the disk already`));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ word, resolve, reject });
      if (this.areDue) this.#options.onDue();
    });
  }

  /** All of them. */
  take(): readonly WaitingWord[] {
    return this.#waiting.splice(0);
  }

  /** Texts of their records. */
  textsOf(words: readonly WaitingWord[]): string[] {
    return words.map(({ word }) => JSON.stringify(encodeWord(word)));
  }

  wrote(words: readonly WaitingWord[], segment: number): void {
    for (const { word, resolve } of words) {
      this.#options.open.wrote(word, segment);
      resolve();
    }
  }

  putBack(words: readonly WaitingWord[], error: Error): void {
    this.#waiting.unshift(...words);
    const says = 'the share log does not take a solution: it is kept in memory and tried each second';
    this.#options.log.error({ solutions: this.#waiting.length, error: error.message }, says);
    this.#later = setTimeout(() => this.tryNow(), AGAIN_MS);
  }

  tryNow(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    if (this.areDue) this.#options.onDue();
  }

  /** Nothing is tried any more: what is left is told whole, as nobody else has it. */
  close(): void {
    clearTimeout(this.#later);
    for (const { word, reject } of this.#waiting.splice(0)) {
      const { header, powHash, node, account } = word.solution;
      const fields = { header: toHex(header), powHash: toHex(powHash), node, account, state: word.state };
      this.#options.log.error(fields, 'the bridge ends, and the disk has not taken this solution');
      reject(new Error('the bridge is stopping, and the disk has not taken it'));
    }
  }
}
