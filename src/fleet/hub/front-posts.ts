/**
 * Solutions that their front has posted already: the first post of the solution sender is the front's answer. Where none comes, as
 * the front has died, the hub posts it itself.
 */
import type { PlainAnswer } from '../../bridge/fleet/ports.js';
import type { SolutionAnswer, SolutionSink } from '../../bridge/ports.js';
import { toHex } from '../../core/bytes/bytes.js';

/** A front's post is answered by then, or is not any more. */
const ANSWER_MS = 6_000;

export class FrontPosts {
  /** Header of the solution as it is sent -> what its node says to the front; for one post. */
  readonly #answers = new WeakMap<Uint8Array, Promise<SolutionAnswer>>();
  /** By hash, those whose front has not told the answer yet. */
  readonly #open = new Map<string, (answer: SolutionAnswer) => void>();

  /** The front has posted this one. */
  expect(powHash: Uint8Array, header: Uint8Array): void {
    const key = toHex(powHash);
    const late = (): void => this.#settle(key, unanswered('its front tells of no answer'));
    const timer = setTimeout(late, ANSWER_MS);
    const answer = new Promise<SolutionAnswer>((resolve) => this.#open.set(key, resolve));
    this.#answers.set(header, answer);
    void answer.then(() => clearTimeout(timer));
  }

  answered(powHash: Uint8Array, answer: PlainAnswer): void {
    this.#settle(toHex(powHash), answer.outcome === 'unanswered' ? unanswered(answer.error) : answer);
  }

  /** `sink`, but for first posts that a front has made. */
  before(sink: SolutionSink): SolutionSink {
    return {
      postSolution: (node, header) => {
        const first = this.#answers.get(header);
        this.#answers.delete(header);
        return first ?? sink.postSolution(node, header);
      },
    };
  }

  close(): void {
    for (const key of [...this.#open.keys()]) this.#settle(key, unanswered('the bridge stops'));
  }

  #settle(key: string, answer: SolutionAnswer): void {
    this.#open.get(key)?.(answer);
    this.#open.delete(key);
  }
}

function unanswered(error: string): SolutionAnswer {
  return { outcome: 'unanswered', error: new Error(error) };
}
