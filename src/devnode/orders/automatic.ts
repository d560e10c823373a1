/** Mining without being told to each time: every so often, or when transactions arrive. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../core/names/log.js';
import type { Mining } from '../mining/mining.js';
import type { OnTransaction } from '../settings.js';
import type { BlockMaker, Made } from './block-maker.js';
import { OrderError } from './order-error.js';

/** As development networks are known to have it. */
export const ON_TRANSACTION: OnTransaction = {
  batchMs: 50,
  confirmations: 5,
  confirmationMs: 1000,
  idleMs: 10_000,
};

interface Parts {
  readonly maker: BlockMaker;
  readonly mining: Mining;
  readonly log: Log;
  readonly closing: AbortSignal;
}

/** A block each time this has passed. Resolves when the node closes. */
export async function mineEvery(periodMs: number, parts: Parts): Promise<void> {
  const { maker, closing } = parts;
  for (let dueMs = performance.now() + periodMs; !closing.aborted; dueMs += periodMs) {
    // What took longer than the period is not made up for.
    dueMs = Math.max(dueMs, performance.now());
    await pause(dueMs - performance.now(), closing);
    if (!closing.aborted) await attempt(parts, () => maker.makeAny());
  }
}

/** Resolves when the node closes. */
export async function mineOnTransaction(rule: OnTransaction, parts: Parts): Promise<void> {
  const { maker, mining, closing } = parts;
  const arrivals = new Arrivals(mining, closing);
  /** Chain -> blocks that are still to follow. */
  const wanted = new Map<number, number>();
  let confirmAtMs = 0;
  const mine = (chains: readonly number[]): Promise<void> =>
    attempt(parts, () => maker.make({ chains, withNeighbours: true }));
  while (!closing.aborted) {
    const waitMs = wanted.size === 0 ? rule.idleMs : Math.max(0, confirmAtMs - performance.now());
    if (await arrivals.within(waitMs)) {
      await pause(rule.batchMs, closing);
      const chains = arrivals.take();
      if (wanted.size === 0) confirmAtMs = performance.now() + rule.confirmationMs;
      for (const chainId of chains) wanted.set(chainId, rule.confirmations);
      if (!closing.aborted) await mine(chains);
    } else if (closing.aborted) return;
    else if (wanted.size === 0) await attempt(parts, () => maker.makeAny());
    else {
      confirmAtMs = performance.now() + rule.confirmationMs;
      const chains = [...wanted.keys()];
      for (const [chainId, count] of wanted) {
        if (count > 1) wanted.set(chainId, count - 1);
        else wanted.delete(chainId);
      }
      await mine(chains);
    }
  }
}

/** A block that cannot be made now, on a full disk perhaps, may be made the next time. */
async function attempt({ log, closing }: Parts, make: () => Promise<Made>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (closing.aborted && error instanceof OrderError) return;
    log.error({ err: error }, 'the node could not mine a block by itself');
  }
}

/** An abort only ends the wait. */
async function pause(ms: number, closing: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: closing }).catch(() => undefined);
}

/** Chains that transactions have come to. */
class Arrivals {
  readonly #chains = new Set<number>();
  #wake = (): void => {};

  constructor(mining: Mining, closing: AbortSignal) {
    mining.events.on('arrived', (chainId) => {
      this.#chains.add(chainId);
      this.#wake();
    });
    closing.addEventListener('abort', () => this.#wake(), { once: true });
  }

  /** Whether some have come, at the latest after this time; it ends early when the node closes. */
  within(ms: number): Promise<boolean> {
    if (this.#chains.size > 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#wake = () => {};
        resolve(this.#chains.size > 0);
      };
      const timer = setTimeout(end, ms);
      this.#wake = end;
    });
  }

  take(): number[] {
    const chains = [...this.#chains].sort((a, b) => a - b);
    this.#chains.clear();
    return chains;
  }
}
