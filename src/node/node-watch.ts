/** One node as it stands among others: its works, what it says of itself, and whether that can be trusted. */
import type { CutObject, NodeClient } from './client.js';
import { NodeError } from './errors.js';
import type { Distrust, Sighting } from './standing.js';
import { type NodeStatus, NodeWorkSource, type WorkSourceOptions } from './work-source.js';

export interface NodeWatchOptions extends WorkSourceOptions {
  /** Milliseconds since the epoch, as this machine has it. */
  readonly wallClockMs: () => number;
  readonly probeTimeoutMs: number;
}

/** Differences between this machine's clock and the node's that are worth a word; header times follow the node's. */
const WORTH_A_WORD_MS = 5_000;
/** Being behind in one round may be a block that is on its way. */
const ROUNDS_BEHIND = 2;

export class NodeWatch {
  readonly source: NodeWorkSource;
  readonly #options: NodeWatchOptions;
  #seen: Omit<Sighting, 'network'> | undefined;
  #probes = 0;
  #distrust: Distrust | undefined;
  #rounds = 0;
  /** How far this machine's clock is ahead of the node's, as told; 0 while it is not worth a word. */
  #skewMs = 0;

  constructor(options: NodeWatchOptions) {
    this.#options = options;
    this.source = new NodeWorkSource(options);
  }

  get status(): NodeStatus {
    const { status } = this.source;
    if (status.state !== 'healthy') return status;
    if (this.#distrust) return { ...status, state: 'quarantined', reason: this.#distrust.reason };
    if (this.#skewMs === 0) return status;
    return { ...status, reason: `${status.reason}; ${skewInWords(this.#skewMs)}` };
  }

  /** Sent since the start. */
  get requests(): number {
    return this.source.requests + this.#probes;
  }

  /** What is known of it while it gives work. */
  get sighting(): Sighting | undefined {
    const { state, network } = this.source.status;
    if (state !== 'healthy') return undefined;
    return { clockOffsetMs: undefined, cutHeight: undefined, ...this.#seen, network };
  }

  /** A node in trouble is not asked: its own loop does that. Never rejects. */
  async probe(): Promise<void> {
    const { client, status } = this.source;
    if (!client || status.state !== 'healthy') {
      this.#seen = undefined;
      return;
    }
    const { now, probeTimeoutMs } = this.#options;
    this.#probes++;
    try {
      const askedAtMs = now();
      const { clockMs, cut } = await ask(client, probeTimeoutMs);
      const offset = clockMs === undefined ? undefined : clockMs - (askedAtMs + now()) / 2;
      this.#seen = { clockOffsetMs: offset, cutHeight: cut?.height };
      if (cut) this.source.sawHeads(cut.hashes);
      if (clockMs !== undefined) this.#compareClocks(clockMs);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      this.source.suspect();
    }
  }

  /** @param isRound the verdict comes of a new round of probes. */
  judge(distrust: Distrust | undefined, isRound: boolean): void {
    if (!distrust) this.#rounds = 0;
    else if (isRound) this.#rounds++;
    if (distrust?.kind !== 'behind' || this.#rounds >= ROUNDS_BEHIND) this.#distrust = distrust;
  }

  close(): Promise<void> {
    return this.source.close();
  }

  #compareClocks(nodeMs: number): void {
    const skewMs = this.#options.wallClockMs() - nodeMs;
    const isSkewed = Math.abs(skewMs) > WORTH_A_WORD_MS;
    // Told anew only when it jumps: it wavers with every answer.
    if (isSkewed && this.#skewMs !== 0 && Math.abs(skewMs - this.#skewMs) <= WORTH_A_WORD_MS) return;
    this.#skewMs = isSkewed ? skewMs : 0;
  }
}

function skewInWords(skewMs: number): string {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const side = skewMs > 0 ? 'ahead of' : 'behind';
  return `this machine's clock is ${seconds} s ${side} the node's: set it right with NTP`;
}

/** One light request; a node that does not serve its cut still tells the time. Throws NodeError when there is no answer. */
async function ask(
  { maintenance }: NodeClient,
  timeoutMs: number,
): Promise<{ clockMs: number | undefined; cut: CutObject | undefined }> {
  try {
    const { cut, facts } = await maintenance.cutWithFacts({ timeoutMs });
    return { clockMs: facts.clockMs, cut };
  } catch (error) {
    const answered = error instanceof NodeError && ['status', 'not-found', 'format'].includes(error.code);
    if (!answered) throw error;
    return { clockMs: (await maintenance.facts({ timeoutMs })).clockMs, cut: undefined };
  }
}
