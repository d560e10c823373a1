/** One node as it stands among others: its works, what it says of itself, and whether that can be trusted. */
import { faultOf } from '../core/log.js';
import type { CutObject, NodeClient } from './client.js';
import { NodeError } from './errors.js';
import type { Distrust, Sighting } from './standing.js';
import { NodeWorkSource } from './work-source.js';
import type { NodeStatus, WorkSourceOptions } from './work-source-options.js';

export interface NodeWatchOptions extends WorkSourceOptions {
  /** Milliseconds since the epoch, as this machine has it. */
  readonly wallClockMs: () => number;
  readonly probeTimeoutMs: number;
}

/** Differences between this machine's clock and the node's that are worth a word; header times follow the node's. */
const WORTH_A_WORD_MS = 5_000;
/** A node that gave a forged answer is not trusted for so long, and for twice as long each time it does it again. */
const FORGED_MS = 60_000;
const LONGEST_FORGED_MS = 3_600_000;
/** Being behind in one round may be a block that is on its way. */
const ROUNDS_BEHIND = 2;

export class NodeWatch {
  readonly source: NodeWorkSource;
  readonly #options: NodeWatchOptions;
  #seen: Omit<Sighting, 'network'> | undefined;
  #probes = 0;
  #distrust: Distrust | undefined;
  #rounds = 0;
  /** What it was caught with last. */
  #forgery: { readonly reason: string; readonly untilMs: number; readonly ms: number } | undefined;
  /** How far this machine's clock is ahead of the node's, as told; 0 while it is not worth a word. */
  #skewMs = 0;

  constructor(options: NodeWatchOptions) {
    this.#options = options;
    const onForged = (error: NodeError): void => this.#caught(error);
    this.source = new NodeWorkSource({ ...options, connect: { ...options.connect, onForged } });
  }

  get status(): NodeStatus {
    const { status } = this.source;
    if (status.state !== 'healthy') return status;
    if (this.#isCaught) return { ...status, state: 'quarantined', reason: this.#forgery?.reason ?? '' };
    if (this.#distrust) return { ...status, state: 'quarantined', reason: this.#distrust.reason };
    if (this.#skewMs === 0) return status;
    return { ...status, reason: `${status.reason}; ${skewInWords(this.#skewMs)}` };
  }

  /** Its works are not for rigs, also when there is no other node. One that was caught lying about a block may be the only one. */
  get isBarred(): boolean {
    return this.source.status.state === 'healthy' && this.#distrust !== undefined;
  }

  /** Whether its word counts, as far as it can be asked: one that was caught is no better while it gives no work. */
  get isTrusted(): boolean {
    return !this.#isCaught && this.status.state !== 'quarantined';
  }

  get #isCaught(): boolean {
    return this.#forgery !== undefined && this.#options.now() < this.#forgery.untilMs;
  }

  #caught(error: NodeError): void {
    if (this.#isCaught) return;
    const nowMs = this.#options.now();
    const before = this.#forgery;
    // Long after the last time it counts as the first.
    const again = before && nowMs - before.untilMs < LONGEST_FORGED_MS;
    const ms = again ? Math.min(LONGEST_FORGED_MS, before.ms * 2) : FORGED_MS;
    const reason = `${error.message}: not trusted for ${ms / 60_000} min; ${error.advice}`;
    this.#forgery = { reason, untilMs: nowMs + ms, ms };
    this.#options.log.error({ node: this.source.url, error: error.message }, 'a node gave a forged answer');
    this.#options.onStatus(this.status);
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
    const { now } = this.#options;
    // A node whose works are waited for longer has as much more time for this.
    const probeTimeoutMs = this.#options.probeTimeoutMs * this.source.slowness;
    this.#probes++;
    try {
      const askedAtMs = now();
      const { clockMs, cut } = await ask(client, probeTimeoutMs);
      const offset = clockMs === undefined ? undefined : clockMs - (askedAtMs + now()) / 2;
      this.#seen = { clockOffsetMs: offset, cutHeight: cut?.height };
      if (cut) this.source.sawHeads(cut.hashes);
      if (clockMs !== undefined) this.#compareClocks(clockMs);
    } catch (error) {
      if (!(error instanceof NodeError)) {
        const fields = { node: this.source.url, ...faultOf(error) };
        this.#options.log.error(fields, 'an unexpected error while looking at a node; it is looked at again');
      }
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
