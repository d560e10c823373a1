/**
 * Lines of blocks that an earlier run of this bridge has found and did not see settled, or settled and did not get into the
 * ledger. That run may have told of them before it died, which only the ledger knows: while it is away they wait.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { SolutionRecord, SolutionState } from '../../bridge/ports.js';
import type { EventRecorder, TimelineBook } from '../../bridge/timeline/timeline.js';
import { blockHashOf } from '../../core/bytes/block-hash.js';
import { toHex } from '../../core/bytes/bytes.js';
import type { Log } from '../../core/names/log.js';
import { decodeHeader } from '../../core/work/header.js';
import { type FoundBlock, tellOfAnswer } from './recorded-events.js';

interface LateLinesOptions {
  readonly book: Pick<TimelineBook, 'hasBlock'>;
  readonly teller: EventRecorder;
  readonly log: Log;
  readonly retryMs?: number;
}

const RETRY_MS = 2_000;

export class LateLines {
  readonly #options: LateLinesOptions;
  readonly #closing = new AbortController();
  /** One after the other. */
  #telling: Promise<void> = Promise.resolve();

  constructor(options: LateLinesOptions) {
    this.#options = options;
  }

  /** Returns at once. While the ledger is away the solution stays in the log, so the next start tells what this one could not. */
  tell(solution: SolutionRecord, state: SolutionState, detail: string): void {
    this.#telling = this.#telling.then(() => this.#tellOne(blockOf(solution), state, detail));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#telling;
  }

  async #tellOne(block: FoundBlock, state: SolutionState, detail: string): Promise<void> {
    const { book, teller, log, retryMs = RETRY_MS } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        const wasFound = await book.hasBlock(['blockFound'], block.hash);
        const wasSettled = await book.hasBlock(['blockAccepted', 'blockRejected'], block.hash);
        if (!wasFound) teller.record('blockFound', block);
        if (!wasSettled) tellOfAnswer(teller, block, state, detail);
        return;
      } catch (error) {
        const words = 'the ledger does not say yet whether a block of an earlier run was told of';
        log.debug({ error: (error as Error).message }, words);
      }
      await pause(retryMs, undefined, { signal }).catch(() => {});
    }
  }
}

function blockOf({ header, node, account, rig }: SolutionRecord): FoundBlock {
  const { chainId, height } = decodeHeader(header);
  return { chainId, height, hash: toHex(blockHashOf(header)), node, account, rig };
}
