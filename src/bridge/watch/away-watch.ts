/** Tells when a part without which the bridge goes on for a while does not answer any more, and when it does again. */
import type { Clock } from '../ports.js';
import type { EventRecorder } from '../timeline/timeline.js';

interface AwayWatchOptions {
  readonly part: 'ledger' | 'queue';
  /** Whether it answers now, soon. Never rejects. */
  readonly isUp: () => Promise<boolean>;
  readonly teller: EventRecorder;
  /** For how long it was away. */
  readonly clock: Clock;
  readonly intervalMs?: number;
}

const INTERVAL_MS = 10_000;
/** One look in vain may be a database that is busy. */
const LOOKS_IN_VAIN = 2;

export class AwayWatch {
  readonly #options: AwayWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #isClosed = false;
  /** Looks in vain since the last one that was answered. */
  #inVain = 0;
  #awaySinceMs = 0;

  constructor(options: AwayWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), options.intervalMs ?? INTERVAL_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking;
  }

  #look(): void {
    this.#looking ??= this.#compare().finally(() => {
      this.#looking = undefined;
    });
  }

  async #compare(): Promise<void> {
    const { isUp, clock } = this.#options;
    const askedAtMs = clock.nowMs();
    const answers = await isUp();
    if (this.#isClosed) return;
    if (answers) return this.#isBack();
    if (this.#inVain === 0) this.#awaySinceMs = askedAtMs;
    if (++this.#inVain === LOOKS_IN_VAIN) this.#tellAway();
  }

  #isBack(): void {
    const wasAway = this.#inVain >= LOOKS_IN_VAIN;
    this.#inVain = 0;
    if (!wasAway) return;
    const { part, teller, clock } = this.#options;
    const awayMs = Math.round(clock.nowMs() - this.#awaySinceMs);
    teller.record(part === 'ledger' ? 'ledgerBack' : 'queueBack', { awayMs });
  }

  #tellAway(): void {
    const { part, teller } = this.#options;
    teller.record(part === 'ledger' ? 'ledgerAway' : 'queueAway', {});
  }
}
