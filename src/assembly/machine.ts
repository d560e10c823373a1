/** The bridges of this machine that share ports and data directory: one alone, or those that a primary has started (`cli/processes`). */

import type { Answer } from '../cli/processes/words.js';
import type { Listen } from '../stratum/admission/listener.js';

export interface Machine {
  /** Any of several may be asked, over HTTP or by `ctl`: what is asked of the machine is asked of all. */
  readonly isOneOfSeveral: boolean;
  /** Opens a port that all of them share; absent where this bridge is alone. */
  readonly listen?: Listen;
  /** Whoever asks this of the machine is answered so by this bridge. */
  answer(question: string, how: Answer): void;
  /** What all of them answer, this one first; or the primary, for what it knows itself. Who is silent is left out. */
  askAll(question: string, about?: unknown): Promise<readonly unknown[]>;
}

/** One bridge, without a primary. */
export function alone(): Machine {
  const answers = new Map<string, Answer>();
  return {
    isOneOfSeveral: false,
    answer: (question, how) => void answers.set(question, how),
    askAll: async (question, about = null) => {
      const how = answers.get(question);
      return how ? [await how(about)] : [];
    },
  };
}
