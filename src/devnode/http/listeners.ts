/** Requests that wait for a command to be in a block: so many at most, and each for three minutes. */
import type { After } from '../clock.js';
import type { Chains, CutChange } from '../consensus/chains.js';
import { RequestError } from './errors.js';

export const MOST_LISTENING = 1000;
/** As long as real nodes hold such a request. */
export const LISTEN_MS = 180_000;

export class Listeners {
  readonly #chains: Chains;
  readonly #after: After;
  #size = 0;

  constructor(chains: Chains, after: After) {
    this.#chains = chains;
    this.#after = after;
  }

  /** What `look` finds, now or at a later head of the chain; `undefined` when the time or the caller ended that. */
  async first<T>(chainId: number, look: () => T | undefined, signal: AbortSignal): Promise<T | undefined> {
    if (this.#size >= MOST_LISTENING) throw new RequestError(503, 'too many listen already');
    this.#size++;
    let isOver = signal.aborted;
    let wake = (): void => undefined;
    const end = (): void => {
      isOver = true;
      wake();
    };
    const onCut = ({ before, after }: CutChange): void => {
      if (before.heads.get(chainId)?.hash !== after.heads.get(chainId)?.hash) wake();
    };
    const cancel = this.#after(LISTEN_MS, end);
    this.#chains.events.on('cut', onCut);
    signal.addEventListener('abort', end);
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const found = look();
        if (found !== undefined || isOver) return found;
        await woken;
      }
    } finally {
      this.#size--;
      cancel();
      this.#chains.events.off('cut', onCut);
      signal.removeEventListener('abort', end);
    }
  }
}
